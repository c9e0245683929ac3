import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { ProgramMistake, Scenario } from "@tsbuilder/simulation";
import { fileManifests, readConfig } from "../../../dev/config/manifests.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { count, quoteWord } from "../../../shared/text.ts";
import { withTemporaryFolder } from "../../../ship/temporary-folder.ts";
import { defineCommand, type FlagValues, flag, invalidArgument } from "../../arguments/command.ts";
import { readDuration } from "../../arguments/flag-values.ts";
import type { Ui } from "../../reporting/report.ts";
import { commandFlags } from "./dev-exec.ts";

const {
  exec,
  build,
  manifests,
  "service-account": serviceAccount,
  "webhook-port": webhookPort,
} = commandFlags;

const flags = {
  exec,
  build,
  manifests,
  "service-account": serviceAccount,
  "webhook-port": webhookPort,
  kind: flag.string("the kind whose objects users change (default: the only one)", "GROUP/VERSION/Kind"),
  sample: flag.list("files with objects that users begin with (default: config/samples)", "PATH"),
  name: flag.list("names of the objects that users create (default: those of the samples, and more)", "NAME"),
  value: flag.list("values that users give to a field: spec.storage=10Gi,15Gi", "FIELD=VALUES"),
  time: flag.string("how long to explore (default: 1m)", "DURATION", {
    check: (time: string) => readDuration("time", time),
  }),
  seed: flag.number("the first seed", "N"),
  jobs: flag.number(
    "how many runs go on side by side (default: 1, or two for each core if the command uses $HEALTH_PORT)",
    "N",
  ),
  patience: flag.string(
    "the longest time after which the operator looks again by itself, as by RequeueAfter (default: 12s)",
    "DURATION",
    { check: (patience: string) => readDuration("patience", patience) },
  ),
  all: flag.switch("go on after the first mistake, until the time is over"),
  plays: flag.number("how often a mistake is played again (default: 10)", "N"),
  replay: flag.string("play the mistake in this file again", "FILE"),
} as const;

type Flags = FlagValues<typeof flags>;

export const explore = defineCommand({
  description:
    "Looks for mistakes of an operator in any language that show when processes die, requests fail, watches break and users edit what it made. Runs the command of --exec on embedded clusters, a new one for each run, with users who create, change and delete objects of the kind. Each run is compared with one in which nothing goes wrong, and that with a fresh start. A mistake is shrunk, played again, and told as a story. The guide to other languages in the book says what is found, and what can't be.",
  streams: true,
  flags,
  examples: [
    "tsbuilder explore --exec bin/manager --kind web.example.com/v1/Guestbook",
    "tsbuilder explore --exec 'bin/manager --health-probe-bind-address=:$HEALTH_PORT' --time 10m --all",
    "tsbuilder explore --exec bin/manager --replay .tsbuilder/explore/guestbook-12.json",
  ],
  async run({ flags: given, cwd, ui }) {
    if (process.platform === "win32")
      throw invalidArgument("explore doesn't work on Windows", "use the Windows Subsystem for Linux");
    const { exec: command } = given;
    if (command === undefined)
      throw invalidArgument(
        "the command of the operator is missing",
        "add it: --exec bin/manager; a project in TypeScript is explored by tsbuilder test --explore",
      );
    const root = realpathSync(cwd);
    refuseLinks(root);
    return withTemporaryFolder("tsbuilder-explore-", (folder) =>
      exploreIn({ root, folder, command }, given, ui),
    );
  },
});

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly command: string;
}

async function exploreIn({ root, folder, command }: Place, given: Flags, ui: Ui): Promise<number> {
  const { findOperator } = await import("../../../dev/foreign/find-operator.ts");
  const { runBuild } = await import("../../../dev/foreign/command-process.ts");
  const { exploredOperator } = await import("../../../dev/foreign/explored-operator.ts");
  const { exploreProgram, playProgram } = await import("@tsbuilder/simulation");
  const operator = findOperator(root, {
    manifests: given.manifests,
    serviceAccount: given["service-account"],
  });
  const places = jobsOf(given, command);
  const { name: names, value } = given;
  const exploration = exploredOperator({
    patience: given.patience === undefined ? undefined : readDuration("patience", given.patience),
    operations: {
      ...(names.length > 0 && { names, objects: names.length }),
      values: readValues(value),
    },
    root,
    operator,
    command,
    kind: given.kind,
    samples: given.sample.length > 0 ? fileManifests(root, given.sample) : readConfig(root, "config/samples"),
    runsSideBySide: places > 1,
    webhookPort: given["webhook-port"],
    folder,
  });
  if (given.build !== undefined)
    await runBuild({ command: given.build, folder: root, env: {} }, new AbortController().signal);
  const plays = given.plays ?? 10;
  if (given.replay !== undefined) {
    const { story, cameBack } = await playProgram(exploration, readMistake(root, given.replay), plays);
    if (story !== undefined) ui.print(story);
    ui.print(`It came back in ${cameBack} of ${count(plays, "play")}.`);
    return cameBack > 0 ? 1 : 0;
  }
  let mistakes = 0;
  const report = await exploreProgram(exploration, {
    time: readDuration("time", given.time ?? "1m"),
    places,
    from: given.seed,
    plays,
    onMistake: (mistake) => {
      mistakes++;
      const file = writeMistake(root, exploration.name, mistake);
      ui.print(
        `${mistake.story}\n\nIt came back in ${mistake.cameBack} of ${count(mistake.plays, "play")}. To play it again:\n${replayText(given, file)}\n`,
      );
      return given.all;
    },
  });
  const { all, missed } = report.crashPoints;
  ui.print(
    `explored ${count(report.runs, "disturbed run")}; the process died at ${all.length - missed.length} of ${count(all.length, "kind")} of writes; found ${count(mistakes, "mistake")}${report.unconfirmed > 0 ? `, besides ${report.unconfirmed} that never came back` : ""}`,
  );
  return mistakes > 0 ? 1 : 0;
}

/** Reads the values of fields, which are JSON or text. Lists are split at commas before: what names no field is one more value. */
export function readValues(words: readonly string[]): Record<string, readonly unknown[]> {
  const values: Record<string, unknown[]> = {};
  let field: string | undefined;
  for (const word of words) {
    const [, name, named] = /^([\w.[\]-]+)=(.*)$/su.exec(word) ?? [];
    field = name ?? field;
    if (field === undefined)
      throw invalidArgument(`--value "${word}" names no field`, "write --value spec.storage=10Gi,15Gi");
    (values[field] ??= []).push(parseValue(named ?? word));
  }
  return values;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs side by side need ports of their own, which only a command that uses them takes. */
function jobsOf({ jobs }: Flags, command: string): number {
  return jobs ?? (/\$\{?HEALTH_PORT/u.test(command) ? 2 * availableParallelism() : 1);
}

type MistakeFile = Pick<Scenario, "seed" | "steps" | "faults">;

/** Refuses to write through links, which a clone may bring. */
function refuseLinks(root: string): void {
  const folders = [".tsbuilder", ".tsbuilder/explore"];
  const linked = folders.find((path) =>
    lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
  if (linked !== undefined)
    throw new TsbuilderError(`"${linked}" is a link`, {
      code: "REFUSED",
      hint: "remove it: tsbuilder explore writes what it finds there",
    });
}

/** Writes a mistake and its trace among the temporary files of the folder. Returns the path of the mistake. */
function writeMistake(root: string, name: string, { seed, scenario, trace }: ProgramMistake): string {
  mkdirSync(join(root, ".tsbuilder/explore"), { recursive: true });
  const { steps, faults, seed: plan } = scenario;
  const path = `.tsbuilder/explore/${name}-${seed}`;
  write(join(root, `${path}.json`), `${JSON.stringify({ seed: plan, steps, faults }, undefined, 2)}\n`);
  write(join(root, `${path}.txt`), trace);
  return `${path}.json`;
}

/** Writes a file in the place of what is there, and not through a link. */
function write(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text);
}

function readMistake(root: string, file: string): MistakeFile {
  try {
    return JSON.parse(readFileSync(resolve(root, file), "utf8")) as MistakeFile;
  } catch (cause) {
    throw new TsbuilderError(`"${file}" can't be read`, {
      code: "NOT_FOUND",
      hint: "name a file that tsbuilder explore has written, such as .tsbuilder/explore/shop-12.json",
      cause,
    });
  }
}

/** The command that plays a mistake again, with the flags that say which operator it is. */
function replayText(given: Flags, file: string): string {
  const { exec: command = "", manifests: paths, sample, kind, patience } = given;
  const { "service-account": account, "webhook-port": port } = given;
  const words = [
    "tsbuilder explore",
    `--exec ${quoteWord(command)}`,
    ...(kind === undefined ? [] : [`--kind ${quoteWord(kind)}`]),
    ...paths.map((path) => `--manifests ${quoteWord(path)}`),
    ...sample.map((path) => `--sample ${quoteWord(path)}`),
    ...(account === undefined ? [] : [`--service-account ${quoteWord(account)}`]),
    ...(port === undefined ? [] : [`--webhook-port ${port}`]),
    ...(patience === undefined ? [] : [`--patience ${patience}`]),
    `--replay ${quoteWord(file)}`,
  ];
  return `  ${words.join(" ")}`;
}
