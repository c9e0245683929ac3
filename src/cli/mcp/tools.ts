// The Model Context Protocol server of `tsbuilder mcp`. Each tool runs a command; an agent can write only what a plan
// has shown.

import { createHash } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { readObjects, readReconciles } from "../../dev/running-session.ts";
import type { CommandLine } from "../arguments/command.ts";
import type { Host } from "../packages/host.ts";
import { explainError } from "../reporting/explain-error.ts";
import { reportAsJson } from "../reporting/report.ts";
import { findProjectRoot } from "../../project/store.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { planFlags } from "../project/open-project.ts";
import { readFlagWord } from "../arguments/command-line.ts";

const instructions =
  "tsbuilder scaffolds and runs Kubernetes operators in TypeScript. Nothing is written without a plan: call plan, show its diff to the user, then apply it. AGENTS.md in the project says how its code is written.";

/** The error of `apply` for a plan that would write other changes by now. */
const changedSincePlan = {
  code: "FILE_CHANGED",
  message: "the project has changed since the plan was shown",
  hint: "show the user this plan, then apply it",
};

/** The report of a command, as `--output json` prints it, or an answer of the same form. */
type Report = { readonly exitCode: number } & Readonly<Record<string, unknown>>;

/** Creates an MCP server whose tools are tsbuilder's commands, for one folder and one session. */
export async function mcpServer(cwd: string, host: Host, tsbuilder: CommandLine): Promise<McpServer> {
  const server = new McpServer({ name: "tsbuilder", version: host.version() }, { instructions });
  const plans = new Plans();
  const run = (argv: readonly string[]): Promise<Report> => runForReport(argv, cwd, tsbuilder);

  server.registerTool(
    "help",
    {
      description: "The commands of tsbuilder; or of one command, what it does and its flags.",
      inputSchema: { command: z.string().optional().describe("such as: create api") },
      annotations: { readOnlyHint: true },
    },
    ({ command = "" }) => answer(async () => run([...readName(command, tsbuilder), "--help"])),
  );
  server.registerTool(
    "plan",
    {
      description: `Shows what a command would write, as a diff, and writes nothing. Commands: ${(await plannableCommands(tsbuilder)).join(", ")}.`,
      inputSchema: {
        command: z.string().describe("such as: create api"),
        args: z.array(z.string()).default([]).describe('its flags, such as: ["--kind", "Order"]'),
      },
      annotations: { readOnlyHint: true },
    },
    ({ command, args }) =>
      answer(async () => showPlan(await readPlannable(command, args, tsbuilder), plans, run)),
  );
  server.registerTool(
    "apply",
    {
      description:
        "Writes a plan that was shown, and runs what the command runs afterwards, such as the generators. If the project has changed since, nothing is written, and the new plan is shown.",
      inputSchema: { plan: z.string().describe("the name that the tool plan returned") },
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    ({ plan }) =>
      answer(async () => {
        const command = plans.find(plan);
        const present = await showPlan(command, plans, run);
        return present["plan"] === plan
          ? run([...command.name, ...command.args])
          : { ...present, exitCode: 1, error: changedSincePlan };
      }),
  );
  server.registerTool(
    "doctor",
    {
      description: "Checks the machine and the project for problems, and says how to solve them.",
      annotations: { readOnlyHint: true },
    },
    () => answer(async () => run(["doctor"])),
  );
  server.registerTool(
    "explain",
    {
      description: "What a code of an error means, and what to do about it; all codes without one.",
      inputSchema: { code: z.string().optional() },
      annotations: { readOnlyHint: true },
    },
    ({ code }) => answer(async () => run(["explain", code ?? "--all"])),
  );
  server.registerTool(
    "markers",
    {
      description:
        "The markers that types and reconcilers may have, such as +kubebuilder:validation:Minimum.",
      inputSchema: { containing: z.string().optional().describe("a part of their names") },
      annotations: { readOnlyHint: true },
    },
    ({ containing }) => answer(async () => run(["manifests", `--markers=${containing ?? ""}`])),
  );
  server.registerTool(
    "objects",
    {
      description:
        "Reads objects of the cluster that tsbuilder dev runs for this project: at most 100, without the values of Secrets.",
      inputSchema: {
        kind: z.string().describe("a kind or plural, with or without its group: mysql, deployments.apps"),
        namespace: z.string().optional(),
        name: z.string().optional(),
        labels: z.string().optional().describe("a label selector"),
      },
      annotations: { readOnlyHint: true },
    },
    (query) =>
      answer(async () => ({
        exitCode: 0,
        objects: await readObjects(findProjectRoot(cwd) ?? cwd, query),
      })),
  );
  server.registerTool(
    "why",
    {
      description:
        "Explains why an object of the cluster that tsbuilder dev runs for this project stands as it does: the causes, the most probable first; its conditions, last reconciles, field managers, Events, owners and children.",
      inputSchema: {
        kind: z.string().describe("a kind or plural, with or without its group: mysql, deployments.apps"),
        namespace: z.string().optional(),
        name: z.string(),
      },
      annotations: { readOnlyHint: true },
    },
    ({ kind, namespace = "default", name }) =>
      answer(async () => {
        const { explainWhy } = await import("../../dev/why/why.ts");
        const root = findProjectRoot(cwd) ?? cwd;
        const object = `${kind}/${namespace}/${name}`;
        const { explanation, lines } = await explainWhy({
          object,
          cluster: undefined,
          root,
          operatorNames: [],
        });
        return { exitCode: 0, output: lines, explanation };
      }),
  );
  server.registerTool(
    "reconciles",
    {
      description:
        "The last reconciles of the operator that tsbuilder dev runs for this project, or ran last: why each ran (at most 10 causes), what it requested (at most 100; not what the cache answered), and how it ended. The oldest one first; at most 100 of those that are kept, which are about 4 MB.",
      inputSchema: {
        controller: z.string().optional(),
        request: z.string().optional().describe("the object: default/db, or its name alone"),
        outcome: z.enum(["done", "later", "again", "conflict", "terminal", "error", "unfinished"]).optional(),
        last: z.number().int().positive().optional().describe("how many"),
      },
      annotations: { readOnlyHint: true },
    },
    (query) => answer(async () => ({ exitCode: 0, ...readReconciles(findProjectRoot(cwd) ?? cwd, query) })),
  );
  return server;
}

/** Runs a command and returns its report. Does not use `--output json`, which arguments could contain or hide. */
async function runForReport(argv: readonly string[], cwd: string, tsbuilder: CommandLine): Promise<Report> {
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(text),
    note: () => undefined,
    isInteractive: false,
  };
  const flag = argv.findIndex((word) => word.startsWith("-"));
  const name = argv.slice(0, flag === -1 ? undefined : flag).join(" ");
  await reportAsJson(name, ui, (reportUi) => tsbuilder.run(argv, cwd, reportUi));
  return JSON.parse(printed.join("\n")) as Report;
}

/** A command with the arguments of the agent. */
interface PlannedCommand {
  /** `["create", "api"]` */
  readonly name: readonly string[];
  readonly args: readonly string[];
}

/** Runs a command with `--diff`, and keeps the plan that it shows. The output of `--help` is returned as it is. */
async function showPlan(
  command: PlannedCommand,
  plans: Plans,
  run: (argv: readonly string[]) => Promise<Report>,
): Promise<Report> {
  // In front of the arguments, so that no flag among them takes it for its value.
  const { output, ...shown } = await run([...command.name, "--diff", ...command.args]);
  if (shown["written"] !== false) return { ...shown, output };
  const diff = (output as readonly string[]).join("\n");
  return { plan: plans.add({ command, diff }), ...shown, diff };
}

/** A plan that was shown, by `--output json` and `--diff`. */
interface ShownPlan {
  readonly command: PlannedCommand;
  /** The output of `--diff`. */
  readonly diff: string;
}

/** The plans that were shown in this session. A plan's name is a hash of its command and diff, so it changes with the diff. */
class Plans {
  readonly #shown = new Map<string, ShownPlan>();

  /** Keeps a plan, and returns its name. */
  add(plan: ShownPlan): string {
    const name = hashPlan(plan);
    this.#shown.set(name, plan);
    return name;
  }

  /** Returns the command of a shown plan; throws if none has this name. */
  find(name: string): PlannedCommand {
    const plan = this.#shown.get(name);
    if (plan) return plan.command;
    throw new TsbuilderError(`no plan "${name}" was shown`, {
      code: "REFUSED",
      hint: "call the tool plan first, and show the user what it would write",
    });
  }
}

/** Names of the commands that can show which files they would write. `deploy --diff` asks a cluster instead. */
async function plannableCommands({ commands }: CommandLine): Promise<readonly string[]> {
  const loaded = await Promise.all(
    commands.map(async (entry) => ({ name: entry.name, command: await entry.load() })),
  );
  return loaded.filter(({ command }) => command.flags["diff"] === planFlags.diff).map(({ name }) => name);
}

/** Splits the name of a command or of a group of commands; refuses flags. */
function readName(command: string, { commands }: CommandLine): readonly string[] {
  const words = command.split(" ").filter((word) => word !== "");
  const isKnown = commands.some(({ name }) => `${name} `.startsWith(`${words.join(" ")} `));
  if (words.length === 0 || isKnown) return words;
  throw new TsbuilderError(`there is no command "${command}"`, {
    code: "REFUSED",
    hint: "use its name alone, such as create api; without one, the tool help lists them",
  });
}

const onlyShows = "omit it: plan only shows, and apply writes";

/** Flags that a plan can't have, each with a hint what to do. */
const refusedFlags = new Map([
  ...["--", "--diff", "--no-diff", "--dry-run", "--no-dry-run"].map((flag) => [flag, onlyShows] as const),
  ["--plugins", "loading a plugin runs its code: have the user add it with tsbuilder edit --plugins"],
]);

/** Reads a command. Refuses one that can't show a plan, and arguments that would write or run third-party code. */
async function readPlannable(
  command: string,
  args: readonly string[],
  tsbuilder: CommandLine,
): Promise<PlannedCommand> {
  const plannable = await plannableCommands(tsbuilder);
  if (!plannable.includes(command)) {
    throw new TsbuilderError(`"${command}" can't be planned`, {
      code: "REFUSED",
      hint: `use one of: ${plannable.join(", ")}; have the user run other commands`,
    });
  }
  for (const word of args) {
    const hint = refusedFlags.get(readFlagWord(word)?.flag ?? word);
    if (hint !== undefined)
      throw new TsbuilderError(`"${word}" can't be an argument of a plan`, { code: "REFUSED", hint });
  }
  return { name: command.split(" "), args };
}

function hashPlan({ command, diff }: ShownPlan): string {
  return createHash("sha256")
    .update(JSON.stringify([command, diff]))
    .digest("hex")
    .slice(0, 12);
}

/** Returns the answer of a tool: the report of its work, or the error that it throws. */
async function answer(work: () => Promise<Report>): Promise<CallToolResult> {
  const outcome: Report = await work().catch((error: unknown) => ({
    exitCode: 1,
    error: explainError(error),
  }));
  return {
    content: [{ type: "text", text: JSON.stringify(outcome, undefined, 2) }],
    structuredContent: outcome,
    isError: outcome.exitCode !== 0,
  };
}
