import { basename, dirname, relative, resolve } from "node:path";
import { outputFormats } from "../../../olm/scorecard/test-list.ts";
import type { TsbuilderError } from "../../../shared/errors.ts";
import { namesCluster, otherClusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { readDuration } from "../../arguments/flag-values.ts";
import { requireBundle } from "./findings.ts";

export const scorecard = defineCommand({
  description:
    "Runs the tests in bundle/tests/scorecard/config.yaml, and those of the project in test/scorecard. In a project, its operator runs on an embedded cluster meanwhile, and the examples of the bundle are created there: the tests see the status that the operator writes, and what it makes. With --context or --kubeconfig, they use that cluster instead, where the operator has to run already; what was created there is deleted afterwards. Exits with 1 if a test did not pass.",
  flags: {
    config: flag.string("the configuration of the tests", "FILE", { short: "c" }),
    selector: flag.string("tests to run, by their labels: suite=olm", "SELECTOR", {
      default: "",
      short: "l",
    }),
    list: flag.switch("list the tests, without running them", { short: "L" }),
    ...otherClusterFlags,
    namespace: flag.string(
      "namespace for the examples in that cluster (default: that of the context)",
      "NAME",
      { short: "n" },
    ),
    "skip-cleanup": flag.switch("keep the examples that were created in that cluster", { short: "x" }),
    "wait-time": flag.string(
      "how long to wait for the operator to write the status of the examples",
      "DURATION",
      { default: "30s", check: (text: string) => readDuration("wait-time", text), short: "w" },
    ),
    output: flag.string("format of the results; json is that of operator-sdk", "FORMAT", {
      choices: outputFormats,
      default: "text",
    }),
  },
  positionals: ["[folder]"],
  ignored: {
    "storage-image": "no pods are started",
    "untar-image": "no pods are started",
    "test-output": "no pods are started",
    "service-account": "no pods are started",
    "pod-security": "no pods are started",
  },
  examples: [
    "tsbuilder scorecard",
    "tsbuilder scorecard --selector suite=olm --output xunit",
    "tsbuilder scorecard ./bundle --context kind-dev --namespace shop --wait-time 2m",
  ],
  async run({ flags, positionals, cwd, ui }) {
    const written = positionals[0] ?? "bundle";
    const folder = resolve(cwd, written);
    requireBundle(folder, written);
    const isOther = namesCluster(flags);
    if (!isOther && (flags["skip-cleanup"] || flags.namespace !== undefined)) throw needsOtherCluster();
    const [{ chooseTests, runTests }, { formatTests }] = await Promise.all([
      import("./run-scorecard.ts"),
      import("../../../olm/scorecard/test-list.ts"),
    ]);
    const bundle = { root: dirname(folder), folder: basename(folder) };
    const config = flags.config === undefined ? undefined : relative(bundle.root, resolve(cwd, flags.config));
    const chosen = chooseTests(bundle, { cwd, config, selector: flags.selector });
    const format = flags.output as (typeof outputFormats)[number];
    if (flags.list) {
      const withoutResults = chosen.tests.map((test) => ({ ...test, results: [] }));
      ui.print(formatTests(withoutResults, format));
      return 0;
    }
    const tests = await runTests(bundle, chosen, {
      cluster: isOther ? flags : undefined,
      namespace: flags.namespace,
      seconds: readDuration("wait-time", flags["wait-time"]) / 1000,
      keep: flags["skip-cleanup"],
      ui,
    });
    ui.print(formatTests(tests, format));
    const hasPassed = tests.every(({ results }) => results.every(({ state }) => state === "pass"));
    return hasPassed ? 0 : 1;
  },
});

function needsOtherCluster(): TsbuilderError {
  return invalidArgument(
    "--skip-cleanup and --namespace are for a cluster that stays",
    "name one with --context or --kubeconfig: the embedded cluster ends with the command",
  );
}
