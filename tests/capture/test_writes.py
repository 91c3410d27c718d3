"""Which files a shell command writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.capture.writes import written_files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("echo x > a.txt", "a.txt"),
        ("echo x >> a.txt; echo y >> a.txt", "a.txt"),
        ("echo x >| 'a b.txt'", "a b.txt"),
        ("make > build.log 2>&1", "build.log"),
        ("make &> all.log", "all.log"),
        ("make 2> err.log >out.log", "err.log out.log"),
        ("make > /dev/null 2>&1", ""),
        ("make 2>&1 | tee -a build.log | tail -3", "build.log"),
        ("cat <<EOF > conf.toml\na > b\ntee x\nEOF\necho y > c", "conf.toml c"),
        ("cat > conf.toml <<'EOF'\necho x > no\nEOF", "conf.toml"),
        ("cat <<-EOF >c\n\tx > no\n\tEOF\necho >d", "c d"),
        ("cat <<< 'x > y' > z", "z"),
        ("sed -i 's/a/b/' a.py b.py", "a.py b.py"),
        ("sed -i.bak -e s/a/b/ -e 's/c > d/e/' a.py", "a.py"),
        ("sed -i '' 's/a/b/' a.py", "a.py"),
        ("sed -E -i 's/a/b/' a.py", "a.py"),
        ("sed -Ei -e s/a/b/ a.py", "a.py"),
        ("sed -n 's/a > b/c/p' a.py", ""),
        ("perl -pi -e 's/a/b/' a.py", "a.py"),
        ("mv a.py b.py", "b.py"),
        ("mv a.py b.py src/", "src/a.py src/b.py"),
        ("git mv a.py b.py", "b.py"),
        ("cp x/a.py .", "a.py"),
        ("cp -r src build", ""),
        ("dd if=a of=b.bin bs=1", "b.bin"),
        ("sudo tee /etc/x < y", "/etc/x"),
        ("FOO=1 env tee out.txt", "out.txt"),
        ("bash -c 'echo x > inner.txt'", "inner.txt"),
        ("cd sub && echo x > a.txt", "sub/a.txt"),
        ("(cd sub; echo x > a.txt); echo > b.txt", "sub/a.txt b.txt"),
        ("if true; then echo x > a.txt; fi", "a.txt"),
        ('echo "$x" > "$file"', ""),
        ("for f in *.py; do sed -i s/a/b/ $f; done", ""),
        ("echo x > out-*.txt", ""),
        ("test $((a > b)) -eq 1", "b"),
        ("echo 'a > b'", ""),
        ('git commit -m "a -> b => c > d"', ""),
        ("echo a \\> b", ""),
        ("# echo > a.txt\nls", ""),
        ("python -c 'print(1 > 0)'", ""),
        ("echo x > 'unclosed", ""),
        ("git apply fix.patch", ""),
        ("", ""),
    ],
)
def test_written_files(command, files):
    """Only names that stand there literally, where the shell would write them."""
    expected = ("a b.txt",) if "a b" in files else tuple(files.split())
    assert written_files(command) == expected


def test_relative_names_are_joined_to_the_folder():
    """As the shell would."""
    assert written_files("echo x > ../a.txt; echo y > /b; echo z > ~/c", "/home/dev/p") == (
        "/home/dev/a.txt",
        "/b",
        "~/c",
    )


@given(st.text(alphabet="ab >|&;<'\"\\$()\n\t-{}#`*=E0F", max_size=60))
def test_no_command_is_too_strange(command):
    """Whatever stands there, it is read to an end."""
    written_files(command)
