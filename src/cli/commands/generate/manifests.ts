import type { GeneratorOptions } from "../../../generators/model/options.ts";
import { Draft, formatUnifiedDiff } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import {
  applyOrShow,
  isShown,
  openOrView,
  changeFiles,
  planFlags,
  viewProject,
} from "../../project/open-project.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import { defineCommand, type FlagValues, flag, invalidArgument } from "../../arguments/command.ts";
import { planGenerated, refuseEmptied } from "../../project/plan-generated.ts";
import { describeError } from "../../reporting/explain-error.ts";
import { type Ui, stopSignal } from "../../reporting/report.ts";

const flags = {
  only: flag.list("generators to run (default: all of them)", "NAME", {
    choices: ["crd", "rbac", "webhook"],
  }),
  paths: flag.list(
    "folders or files to read instead of api/ and src/; CRDs of other kinds stay, but the role and the webhook configurations are then only those of what is read",
    "PATH",
  ),
  "output-crd": flag.string("folder for CRDs (default: config/crd/bases)", "DIR"),
  "output-rbac": flag.string("folder for RBAC roles (default: config/rbac)", "DIR"),
  "output-webhook": flag.string("folder for webhook configurations (default: config/webhook)", "DIR"),
  "role-name": flag.string("name of the generated ClusterRole (default: manager-role)", "NAME"),
  "max-desc-len": flag.number("maximum length of descriptions in bytes; 0 omits them", "BYTES"),
  "trim-descriptions": {
    type: "boolean",
    summary: "shorten the descriptions of a CRD that is too large for kubectl apply",
  },
  "feature-gates": flag.list("feature gates to enable", "NAME"),
  provenance: {
    type: "boolean",
    summary: "add comments to the RBAC rules that name the markers they come from",
  },
  "readonly-immutable": { type: "boolean", summary: "make readonly properties immutable" },
  "allow-dangerous-types": { type: "boolean", summary: "allow the type number, which is a float" },
  "generate-embedded-object-meta": {
    type: "boolean",
    summary: "generate the schema of metadata in embedded objects",
  },
  markers: {
    type: "optional-string",
    summary: "list the available markers, or those whose name contains TEXT",
    placeholder: "TEXT",
  },
  check: flag.switch("write nothing; print the diff and exit with 1 if manifests are out of date"),
  watch: flag.switch("keep running, and regenerate after every edit in api/, src/ or config/", {
    streams: true,
  }),
  ...planFlags,
} as const;

export const manifests = defineCommand({
  description:
    "Reads the types in api/ and the markers in api/ and src/, and writes config/crd/bases, config/rbac/role.yaml and config/webhook/manifests.yaml. With --paths, a role or webhook configuration that is written loses the rules and webhooks of other files: --only=crd writes neither. Options below manifests in PROJECT, such as generateEmbeddedObjectMeta, hold for all commands that generate.",
  flags,
  examples: [
    "tsbuilder manifests",
    "tsbuilder manifests --diff",
    "tsbuilder manifests --check",
    "tsbuilder manifests --watch",
    "tsbuilder manifests --markers printcolumn",
  ],
  async run(call) {
    const { flags: values, cwd, ui } = call;
    if (values.markers !== undefined) await printMarkers(values.markers, ui);
    else if (values.watch) await watchAndGenerate(values, cwd, ui);
    else if (values.check) await checkUpToDate(values, cwd, ui);
    else {
      await changeFiles(call, (draft, { root }) => planGenerated(draft, readOptions(values), { root }));
    }
  },
});

type Values = FlagValues<typeof flags>;

/** Prints the diff of what is out of date, and throws if there is any. Writes nothing. */
async function checkUpToDate(values: Values, cwd: string, ui: Ui): Promise<void> {
  const { root, tree } = viewProject(cwd, ui);
  const draft = new Draft(tree);
  for (const note of await planGenerated(draft, readOptions(values), { root })) ui.note(note);
  const changes = draft.changes();
  if (changes.length === 0) return;
  ui.print(changes.map(formatUnifiedDiff).join("").trimEnd());
  throw new TsbuilderError(`out of date: ${changes.map(({ path }) => `"${path}"`).join(", ")}`, {
    code: "FILE_CHANGED",
    hint: "run tsbuilder manifests, and commit the changes",
  });
}

/** Generates now and after each edit, until the process is stopped. Errors are printed and do not end it. */
async function watchAndGenerate(values: Values, cwd: string, ui: Ui): Promise<void> {
  if (values.check) {
    throw invalidArgument(
      "--watch and --check are mutually exclusive",
      "to preview changes while watching, use --watch with --diff",
    );
  }
  const { root, tree } = openOrView(cwd, ui, values);
  const [{ createCache }, { watchSources }] = await Promise.all([
    import("../../../generators/sources/cache.ts"),
    import("../../../dev/reload/watch-sources.ts"),
  ]);
  const cache = createCache();
  const sources = refuseEmptied(tree);
  const caller = { name: "manifests --watch", note: (text: string) => ui.note(text) };
  let lastPrinted = "";
  let hasFailed = false;
  const generateOnce = async (): Promise<string> => {
    const draft = new Draft(sources);
    const notes = await planGenerated(draft, readOptions(values), cache);
    const warnings = notes.join("\n");
    // Writing to config/ triggers another run, which changes nothing and must not repeat the warnings.
    const plan = { changes: draft.changes(), notes: warnings === lastPrinted ? [] : notes };
    applyOrShow(root, plan, values, ui);
    return warnings;
  };
  const generate = async (): Promise<void> => {
    try {
      const warnings = await (isShown(values) ? generateOnce() : withProjectLock(root, caller, generateOnce));
      if (hasFailed) ui.note("The sources have no errors any more.");
      [lastPrinted, hasFailed] = [warnings, false];
    } catch (error) {
      const text = describeError(error, (file) => tree.read(file));
      if (text !== lastPrinted) ui.note(text);
      [lastPrinted, hasFailed] = [text, true];
    }
  };
  const ended = stopSignal();
  let work = Promise.resolve();
  // Starts before the first run, so that no edit during it is missed.
  const watcher = watchSources(root, () => {
    work = work.then(generate);
  });
  work = work.then(generate).then(() => ui.note("Watching api/, src/ and config/; press Ctrl+C to stop."));
  await ended;
  watcher.close();
  await work;
}

async function printMarkers(part: string | true, ui: Ui): Promise<void> {
  const { formatMarkerHelp, markerHelp } = await import("../../../generators/markers/help.ts");
  const markers = markerHelp(part === true ? "" : part);
  ui.add?.({ markers });
  ui.print(formatMarkerHelp(markers));
}

/** Omits flags that were not given, so that the options in `PROJECT` apply, or the generators' defaults. */
function readOptions(values: Values): GeneratorOptions {
  return omitUndefined({
    only: undefinedIfEmpty(values.only),
    paths: undefinedIfEmpty(values.paths),
    roleName: values["role-name"],
    maxDescLen: values["max-desc-len"],
    output: omitUndefined({
      crd: values["output-crd"],
      rbac: values["output-rbac"],
      webhook: values["output-webhook"],
    }),
    featureGates: undefinedIfEmpty(values["feature-gates"]),
    trimDescriptions: values["trim-descriptions"],
    provenance: values.provenance,
    readonlyImmutable: values["readonly-immutable"],
    allowDangerousTypes: values["allow-dangerous-types"],
    generateEmbeddedObjectMeta: values["generate-embedded-object-meta"],
  });
}

function omitUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function undefinedIfEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}
