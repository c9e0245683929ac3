import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findProjectRoot } from "../../../project/store.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { clusterFlags, operatorFlag, readDeployment } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { stopSignal } from "../../reporting/report.ts";
import { count } from "../../../shared/text.ts";

export const record = defineCommand({
  description:
    "Writes what a deployed operator recorded in the last minutes to a file: reconciles with their causes, requests and outcomes, samples of the process, and log lines, and how cached objects changed. tsbuilder replay tells the file, and shows it on the page of dev. Reads it from each pod through a forwarded port; the operator needs its recorder: tsbuilder edit --enable recorder.",
  flags: {
    ...clusterFlags,
    operator: operatorFlag,
    follow: flag.switch("go on with what happens, until Ctrl-C"),
    force: flag.switch("overwrite the file"),
  },
  positionals: ["<file>"],
  examples: [
    "tsbuilder record night.jsonl --context prod",
    "tsbuilder record night.jsonl --operator shop-system/shop-controller-manager",
    "tsbuilder record night.jsonl --context prod --follow",
    "tsbuilder replay night.jsonl --page",
  ],
  async run({ flags, positionals, cwd, ui, host }) {
    const file = resolve(cwd, positionals[0]!);
    if (existsSync(file) && !flags.force)
      throw new TsbuilderError(`"${positionals[0]!}" exists`, {
        code: "ALREADY_EXISTS",
        hint: "name another file, or add --force",
      });
    const { readProjectName } = await import("../../../dev/foreign/find-operator.ts");
    const names = [readProjectName(findProjectRoot(cwd) ?? cwd) ?? []].flat();
    const { fetchRecord, followRecord } = await import("../../../dev/record/fetch-record.ts");
    const choice = {
      file,
      cluster: flags,
      operator: { names, deployment: readDeployment(flags.operator) },
      tsbuilder: host.version(),
    };
    if (flags.follow) {
      const stopping = new AbortController();
      void stopSignal().then(() => stopping.abort());
      return followRecord(choice, stopping.signal, (pods) => ui.print(`following ${count(pods, "pod")}`));
    }
    const { recorded, pods } = await fetchRecord(choice);
    ui.print(`wrote ${count(recorded, "line")} of ${count(pods, "pod")} to ${positionals[0]!}`);
  },
});
