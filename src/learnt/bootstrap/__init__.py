"""The composition root: the only reader of environment and configuration files.

It finds where things live (`home`), reads the settings (`configuration`), stands in for the machine (`machine`),
derives who is asking from where, and puts an engine together (`assembly`).
"""

from __future__ import annotations

from learnt.bootstrap.assembly import Assembly, assemble
from learnt.bootstrap.configuration import Configuration, configuration
from learnt.bootstrap.home import COPY, INSTALLED, Home, Installation, installation, wired
from learnt.bootstrap.machine import GitWorkplace, RandomIds, SystemClock
from learnt.bootstrap.models import Models
from learnt.bootstrap.moving import upgrade, way
from learnt.bootstrap.parcels import BACKUPS, export_folder, parcel

__all__ = [
    "BACKUPS",
    "COPY",
    "INSTALLED",
    "Assembly",
    "Configuration",
    "GitWorkplace",
    "Home",
    "Installation",
    "Models",
    "RandomIds",
    "SystemClock",
    "assemble",
    "configuration",
    "export_folder",
    "installation",
    "parcel",
    "upgrade",
    "way",
    "wired",
]
