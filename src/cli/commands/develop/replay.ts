import { relative, resolve } from "node:path";
import type { Recording } from "../../../dev/record/read-recording.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import { defineCommand, type Invocation, flag, invalidArgument } from "../../arguments/command.ts";
import { readPageAssets } from "./page-assets.ts";
import { type Ui, stopSignal } from "../../reporting/report.ts";

const flags = {
  object: flag.string("only what is about objects of this name, and about what they own", "NAMESPACE/NAME"),
  quiet: flag.switch("leave out what dev and the operator printed"),
  test: flag.string(
    "write the session as a test to this file of the project, instead of telling it",
    "FILE",
    { check: checkTest },
  ),
  force: flag.switch("with --test, overwrite the file"),
  page: flag.switch("show the session on the page of dev, in a browser, until Ctrl-C"),
  ...planFlags,
} as const;

export const replay = defineCommand({
  description:
    "Tells what tsbuilder dev --record wrote to a file: who created, changed and deleted which objects, which requests were reconciled, why and how that ended, and what the operator printed. With --test, it writes a test that does what you did in the session, and expects what was there in the end. The guide to recordings in the book describes the file and the test.",
  flags,
  positionals: ["file"],
  examples: [
    "tsbuilder replay session.jsonl",
    "tsbuilder replay session.jsonl --object default/db",
    "tsbuilder replay session.jsonl --page",
    "tsbuilder replay session.jsonl --test src/controller/mysql.recorded.test.ts",
  ],
  async run(call) {
    const {
      flags: { object, quiet, test, page },
      positionals: [file = ""],
      cwd,
      ui,
    } = call;
    if (page) {
      refuseWithPage(call.flags);
      return showPage(resolve(cwd, file), ui);
    }
    const { readRecording } = await import("../../../dev/record/read-recording.ts");
    const recording = readRecording(resolve(cwd, file));
    if (test !== undefined) return writeTest(call, recording, test);
    refuseWithoutTest(call.flags);
    const { everything, tellRecording } = await import("../../../dev/record/tell-recording.ts");
    const { session, recorded } = recording;
    ui.note(`${session.project}, recorded by tsbuilder ${session.tsbuilder} on ${session.at.slice(0, 10)}`);
    for (const { at, about, text } of tellRecording(recorded)) {
      const isChosen = object === undefined ? !quiet || about.length > 0 : about.includes(object);
      if (!isChosen && about !== everything) continue;
      ui.print(`${at.slice(11, 23)}  ${text}`);
    }
  },
});

async function showPage(file: string, ui: Ui): Promise<void> {
  const { fileRecord } = await import("../../../dev/record/read-recording.ts");
  const { startPage } = await import("../../../dev/page/page-server.ts");
  const ended = stopSignal();
  const page = await startPage({ assets: readPageAssets(), record: fileRecord(file) });
  try {
    ui.print(`see what happened: ${page.url}`);
    await ended;
  } finally {
    await page.stop();
  }
}

/** The flags that apply to `--test` alone, but for `--object`. */
interface TestFlags {
  readonly object: string | undefined;
  readonly force: boolean;
  readonly "dry-run": boolean;
  readonly diff: boolean;
}

async function writeTest(
  call: Pick<Invocation, "name" | "cwd" | "ui"> & { readonly flags: TestFlags },
  recording: Recording,
  file: string,
): Promise<void> {
  const { flags: values, cwd, ui } = call;
  const { planWrittenTest } = await import("./written-test.ts");
  return openToChange(call, async ({ root, tree, project }) => {
    const path = relative(root, resolve(cwd, file)).replaceAll("\\", "/");
    if (tree.has(path) && !values.force) {
      throw new TsbuilderError(`"${path}" exists already`, {
        code: "ALREADY_EXISTS",
        hint: "write to another file, or overwrite it with --force",
      });
    }
    const plan = planWrittenTest({ tree, project }, recording, {
      path,
      object: values.object,
    });
    applyOrShow(root, plan, values, ui);
  });
}

/** Refuses flags that the page has no use for: it has a filter of its own. */
function refuseWithPage(values: TestFlags & { readonly quiet: boolean; readonly test: string | undefined }) {
  const flag = (["object", "quiet", "test", "force", "dry-run", "diff"] as const).find(
    (name) => values[name],
  );
  if (flag === undefined) return;
  throw invalidArgument(`--${flag} does not apply to --page`, `omit --${flag}, or omit --page`);
}

function refuseWithoutTest(values: TestFlags): void {
  const [flag] = (["force", "dry-run", "diff"] as const).filter((name) => values[name]);
  if (flag === undefined) return;
  throw invalidArgument(
    `--${flag} needs --test`,
    "name the file of the test: --test src/controller/mysql.recorded.test.ts",
  );
}

/** Refuses a name that the test runner would leave out. */
function checkTest(path: string): void {
  if (path.endsWith(".test.ts")) return;
  throw invalidArgument(
    `"${path}" is not a name for a test`,
    "give it one that ends in .test.ts: src/controller/mysql.recorded.test.ts",
  );
}
