// learnt's plugin for opencode, written by learnt init; `learnt uninit` removes it.
// It asks the hook of learnt at a prompt and after a tool, and says when a session rests. It never throws.
import { spawn } from "node:child_process";

const COMMAND = __COMMAND__;
const WAIT_MS = 2000;

function hook(event, payload) {
  return new Promise((resolve) => {
    let out = "";
    const done = () => {
      clearTimeout(late);
      try {
        resolve(out.trim() ? JSON.parse(out).additionalContext || "" : "");
      } catch {
        resolve("");
      }
    };
    let late;
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), event, "--host", "opencode"], {
        stdio: ["pipe", "pipe", "ignore"],
        cwd: payload.cwd || undefined,
      });
      late = setTimeout(() => {
        child.kill();
        resolve("");
      }, WAIT_MS);
      child.stdout.on("data", (piece) => (out += piece));
      child.on("error", done);
      child.on("close", done);
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
    } catch {
      resolve("");
    }
  });
}

// Whether a session that began before this process looked is a sub-agent's.
async function isAgents(client, session) {
  try {
    const late = new Promise((resolve) => setTimeout(resolve, 500));
    const found = await Promise.race([client.session.get({ path: { id: session } }), late]);
    return Boolean((found?.data || found)?.parentID);
  } catch {
    return false;
  }
}

export const Learnt = async ({ client, directory, worktree }) => {
  const cwd = directory || worktree || process.cwd();
  // Session -> how its next prompt begins a context: "resume" where this process has not seen it, which is a start for
  // one that learnt does not know yet; "" where it goes on.
  const begun = new Map();
  const told = new Map(); // session -> how many of its turns came to rest
  const agents = new Set(); // sessions of sub-agents: a machine wrote their prompts
  return {
    event: async ({ event }) => {
      try {
        const properties = event?.properties || {};
        const session = properties.sessionID || properties.info?.id;
        if (!session) return;
        if (event.type === "session.created") {
          if (properties.info?.parentID) agents.add(session);
          else begun.set(session, "resume");
        } else if (event.type === "session.compacted") begun.set(session, "compact");
        else if (event.type === "session.deleted") begun.delete(session);
        else if (event.type === "session.idle" && !agents.has(session)) {
          await hook("session-idle", { cwd, properties: { sessionID: session } });
          told.set(session, (told.get(session) || 0) + 1);
        }
      } catch {}
    },
    dispose: async () => {
      try {
        // A first turn was told of already; later ones may have been too soon after it.
        const late = [...told].filter(([, turns]) => turns > 1).slice(-8);
        await Promise.all(late.map(([session]) => hook("dispose", { cwd, properties: { sessionID: session } })));
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const session = input?.sessionID;
        if (!session || agents.has(session)) return;
        const parts = (output.parts || []).filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
        if (!parts.length) return;
        if (!begun.has(session) && (await isAgents(client, session))) {
          agents.add(session);
          return;
        }
        const source = begun.has(session) ? begun.get(session) : "resume";
        begun.set(session, "");
        const given = { cwd, input: { sessionID: session } };
        const start = source ? await hook("session-created", { ...given, source }) : "";
        const prompt = parts.map((part) => part.text || "").join("\n");
        const match = await hook("chat-message", { ...given, prompt });
        const last = output.parts[output.parts.length - 1];
        [start, match].filter(Boolean).forEach((text, at) =>
          output.parts.push({
            id: `${last.id}l${at}`,
            sessionID: session,
            messageID: output.message?.id || last.messageID,
            type: "text",
            synthetic: true,
            text,
          }),
        );
      } catch {}
    },
    "tool.execute.after": async (input, output) => {
      try {
        if (typeof output?.output !== "string") return;
        const { sessionID, tool, args } = input;
        const warning = await hook("tool-execute-after", { cwd, input: { sessionID, tool, args } });
        if (warning) output.output += `\n\n${warning}`;
      } catch {}
    },
  };
};
