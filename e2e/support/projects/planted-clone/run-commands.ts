import { accessSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { commands } from "../../../../src/cli/commands/index.ts";
import { dispatch, commandLine } from "../../../../src/cli/start/main.ts";
import { thisTsbuilder, type Host } from "../../../../src/cli/packages/host.ts";
import { mcpServer } from "../../../../src/cli/mcp/tools.ts";
import { explainError } from "../../../../src/cli/reporting/explain-error.ts";
import { goldenHost } from "../../../golden/golden-projects.ts";
import { readCommands } from "./read-commands.ts";

/** The effects of a command. */
export interface Outcome {
  readonly line: string;
  /** The files that are not as they were, by their paths. */
  readonly changed: readonly string[];
  readonly said: string;
}

const host: Host = {
  ...goldenHost,
  version: () => "9.9.9",
  baseline: (...asked) => thisTsbuilder.baseline(...asked),
};

/** Runs all commands that read in this process, and looks after each what changed below some folders. */
async function runAll(cwd: string, watched: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let before = snapshot(watched);
  const look = async (line: string, run: () => Promise<string>): Promise<void> => {
    mark(line);
    const said = await run().catch((error: unknown) => JSON.stringify(explainError(error)));
    const after = snapshot(watched);
    const paths = new Set([...before.keys(), ...after.keys()]);
    outcomes.push({ line, said, changed: [...paths].filter((path) => before.get(path) !== after.get(path)) });
    before = after;
  };
  for (const line of readCommands) {
    await look(line, async () => {
      const said: string[] = [];
      const say = (text: string): void => void said.push(text);
      await dispatch(line.split(" "), cwd, { print: say, note: say, isInteractive: false }, host).catch(
        (error: unknown) => say(JSON.stringify(explainError(error))),
      );
      return said.join("\n");
    });
  }
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = await mcpServer(cwd, host, commandLine(host));
  const client = new Client({ name: "agent", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  const plan = (command: string, ...args: string[]) => ({ name: "plan", arguments: { command, args } });
  const calls = [
    { name: "help", arguments: { command: "create api" } },
    plan("create api", "--group", "apps", "--version", "v1", "--kind", "Other"),
    plan("edit", "--enable", "prometheus"),
    plan("upgrade"),
    plan("chart"),
    { name: "doctor", arguments: {} },
    { name: "explain", arguments: {} },
    { name: "markers", arguments: {} },
    { name: "objects", arguments: { kind: "pods" } },
    { name: "reconciles", arguments: {} },
    { name: "why", arguments: { kind: "order", name: "a" } },
  ];
  for (const call of calls)
    await look(`mcp ${JSON.stringify(call)}`, async () => JSON.stringify(await client.callTool(call)));
  await client.close();
  return outcomes;
}

/** Shows in a trace of system calls which command comes now. */
function mark(line: string): void {
  try {
    accessSync(`/command: ${line}`);
  } catch {
    // The file does not exist: strace records that the command line was looked for.
  }
}

/** The state of each file. No program can set the time of its last change, so contents need not be read. */
function snapshot(folders: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    const stats = lstatSync(path, { bigint: true });
    found.set(path, [stats.mode, stats.ctimeNs, stats.mtimeNs, stats.ino, stats.size].join(" "));
    if (stats.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const folder of folders) walk(folder);
  return found;
}

/** Each command that can show what it would do is tried, but for one that asks a registry. */
async function requireAll(): Promise<void> {
  const tried = readCommands.filter((line) => / --(?:dry-run|diff)$/u.test(line));
  for (const command of commands) {
    const { name } = command;
    const { flags } = await command.load();
    if (name !== "pin-images" && "dry-run" in flags && !tried.some((line) => line.startsWith(`${name} `)))
      throw new Error(`no line of read-commands.ts shows what "${name}" would do`);
  }
}

await requireAll();
const [outcomes, cwd, ...watched] = process.argv.slice(2);
writeFileSync(outcomes!, JSON.stringify(await runAll(cwd!, watched)));
