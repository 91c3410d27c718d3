// learnt's extension for __HOST__, written by learnt init; `learnt uninit` removes it.
// It asks the hook of learnt at a prompt and after a tool, and says when a session ends. It never throws.
import { spawn } from "node:child_process";

const COMMAND: string[] = __COMMAND__;
const HOST = "__HOST__";
const WAIT_MS = 2000;

function hook(event: string, payload: Record<string, unknown>): Promise<string> {
  return new Promise((resolve) => {
    let out = "";
    let late: ReturnType<typeof setTimeout> | undefined;
    const done = () => {
      clearTimeout(late);
      try {
        resolve(out.trim() ? JSON.parse(out).additionalContext || "" : "");
      } catch {
        resolve("");
      }
    };
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), event, "--host", HOST], {
        stdio: ["pipe", "pipe", "ignore"],
      });
      late = setTimeout(() => {
        child.kill();
        resolve("");
      }, WAIT_MS);
      child.stdout.on("data", (piece: unknown) => (out += piece));
      child.on("error", done);
      child.on("close", done);
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
    } catch {
      resolve("");
    }
  });
}

function place(ctx: any): Record<string, unknown> {
  const manager = ctx?.sessionManager;
  return {
    cwd: ctx?.cwd,
    session_id: manager?.getSessionId?.() || "",
    transcript_path: manager?.getSessionFile?.() || "",
  };
}

export default function (pi: any) {
  // How the next prompt begins a context; "" when it does not. A session that learnt does not know yet is a new one,
  // and one that was taken up again holds what it was given.
  let source = "resume";

  pi.on("session_start", async () => {
    source = "resume";
  });
  pi.on("session_compact", async () => {
    source = "compact";
  });
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    try {
      const given = place(ctx);
      const begins = source;
      source = "";
      const start = begins ? await hook("session-start", { ...given, source: begins }) : "";
      const match = await hook("before-agent-start", { ...given, prompt: event?.prompt || "" });
      const content = [start, match].filter(Boolean).join("\n\n");
      if (content) return { message: { customType: "learnt", content, display: false } };
    } catch {}
  });
  pi.on("tool_result", async (event: any, ctx: any) => {
    try {
      const payload = { ...place(ctx), toolName: event?.toolName, input: event?.input };
      const warning = Array.isArray(event?.content) ? await hook("tool-result", payload) : "";
      if (warning) return { content: [...event.content, { type: "text", text: warning }] };
    } catch {}
  });
  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    try {
      await hook("session-shutdown", place(ctx));
    } catch {}
  });
}
