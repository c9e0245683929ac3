import { clusterFlags, namesCluster } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, type FlagValues, invalidArgument } from "../../arguments/command.ts";
import type { Allowance } from "../../../lifecycle/allowances.ts";
import type { ApiChange, ComparedCrd } from "../../../lifecycle/compare-crds.ts";
import type { ReportedChange } from "../../../lifecycle/report-changes.ts";
import { projectFile } from "../../../project/store.ts";
import type { Host } from "../../packages/host.ts";
import { type EarlierApi, listReleases, readCluster, readEarlier } from "../../project/earlier-crds.ts";
import { pathInRepository } from "../../project/git.ts";
import { changeFiles, planFlags, viewProject } from "../../project/open-project.ts";
import { refuseFindings } from "../../project/plan-generated.ts";

const flags = {
  against: flag.string(
    "the earlier API: a git ref, a folder, an OLM bundle, a chart, or a file such as install.yaml (default: the last release's tag)",
    "REF",
  ),
  ...clusterFlags,
  allow: flag.list(
    "class of changes to allow, everywhere or at one place; kept in config/api-changes.yaml",
    "RULE[=PATH]",
  ),
  sarif: flag.switch("print SARIF 2.1.0, for code scanning, as --output sarif does"),
  reason: flag.string("why the changes that --allow names are meant", "TEXT"),
  ...planFlags,
} as const;

type Values = FlagValues<typeof flags>;

export const apiCheck = defineCommand({
  description:
    "Compares the CRDs that the types and markers ask for with those of an earlier state, and says whom each change breaks: objects that are stored, clients that read and write them, or those who apply manifests. Shows an object that was valid before and is refused now, or loses data. Exits with 1 if there is an error that is not allowed. Nothing of the earlier state runs, and without --allow nothing is written.",
  flags,
  formats: ["sarif"],
  examples: [
    "tsbuilder api check",
    "tsbuilder api check --against origin/main",
    "tsbuilder api check --against dist/install.yaml --output json",
    "tsbuilder api check --allow field-removed=.spec.paused --reason 'nothing has read it'",
  ],
  async run(call) {
    const { flags: values, cwd, ui } = call;
    const { root, tree } = viewProject(cwd, ui);
    const [{ compareCrds }, { projectCrds }, allowed, report] = await Promise.all([
      import("../../../lifecycle/compare-crds.ts"),
      import("../../../lifecycle/project-crds.ts"),
      import("../../../lifecycle/allowances.ts"),
      import("../../../lifecycle/report-changes.ts"),
    ]);
    const given = values.allow.map((text) => readAllowance(text, values.reason, allowed.allowance));
    const candidates = findCandidates(root, cwd, values);
    const now = await projectCrds(tree);
    for (const note of refuseFindings(now.diagnostics)) ui.note(note);
    const groups = new Set(now.crds.map(({ spec }) => spec.group));
    let earlier: EarlierApi | undefined;
    let changes: ApiChange[] = [];
    for (const read of candidates) {
      earlier = await read(groups);
      changes = compareCrds(...comparable(earlier, now.crds));
      if (changes.length > 0) break;
    }
    for (const one of given) refuseUnused(one, changes, allowed.allows);
    if (given.length > 0) {
      await changeFiles(call, async (draft) => {
        const all = [...allowed.readAllowances(draft), ...given];
        draft.write(allowed.allowanceFile, allowed.formatAllowances(all));
        return [];
      });
    }
    const known = [...allowed.readAllowances(tree), ...given];
    for (const { rule, path = "any place" } of known.filter(
      (one) => !changes.some((change) => allowed.allows(one, change)),
    ))
      ui.note(
        `warning: ${allowed.allowanceFile} allows ${rule} at ${path}, and there is no such change\nhint: remove the entry`,
      );
    const reported = report.reportChanges(changes, known, (change) => now.positionOf(change));
    ui.add?.({ apiChanges: reported });
    ui.print(
      values.sarif ? await sarifOf(reported, root, call.host) : report.formatChanges(reported, earlier!.name),
    );
    return reported.some(report.isBreaking) ? 1 : 0;
  },
});

async function sarifOf(changes: readonly ReportedChange[], root: string, host: Host): Promise<string> {
  const { formatSarif } = await import("../../../lifecycle/format-sarif.ts");
  const folder = pathInRepository(root);
  return formatSarif(changes, { folder, fallbackFile: projectFile, version: host.version() });
}

/** Reads an earlier API. It may also contain CRDs of others: those of other groups don't count. */
type ReadEarlier = (groups: ReadonlySet<string>) => Promise<EarlierApi>;

/**
 * Lists the APIs to compare with: the first one from which the project's API differs counts, or else the last one. On the commit
 * of a release, edits are compared with that release, and without edits the release with the one before.
 */
function findCandidates(
  root: string,
  cwd: string,
  { against, kubeconfig, context }: Values,
): readonly ReadEarlier[] {
  const read =
    (source: string): ReadEarlier =>
    (groups) =>
      readEarlier(root, cwd, source, groups);
  if (namesCluster({ kubeconfig, context })) {
    if (against === undefined) return [(groups) => readCluster({ kubeconfig, context }, groups)];
    throw invalidArgument(
      "--against and a cluster are two earlier APIs",
      "omit --against, or --context and --kubeconfig",
    );
  }
  if (against !== undefined) return [read(against)];
  const [newest, previous] = listReleases(root);
  if (newest)
    return [newest, ...(newest.isCurrent && previous ? [previous] : [])].map(({ tag }) => read(tag));
  throw invalidArgument(
    "there is no released version to compare with: neither the current commit nor one before it has a tag such as v1.0.0",
    "name an earlier API, for example: tsbuilder api check --against HEAD",
  );
}

/** Leaves out conversions if the earlier API does not say them. */
function comparable(
  { crds, hasNoConversions }: EarlierApi,
  now: readonly ComparedCrd[],
): [old: readonly ComparedCrd[], next: readonly ComparedCrd[]] {
  const withoutConversion = ({ metadata, spec }: ComparedCrd): ComparedCrd => {
    const { conversion: _, ...rest } = spec;
    return { metadata, spec: rest };
  };
  return hasNoConversions ? [crds.map(withoutConversion), now.map(withoutConversion)] : [crds, now];
}

function readAllowance(
  text: string,
  reason: string | undefined,
  create: (rule: string, path: string | undefined, reason: string) => Allowance,
): Allowance {
  if (!reason)
    throw invalidArgument("--allow needs a reason", "add --reason 'TEXT', for those who review the change");
  const [, rule = "", path] = /^([^=]*)=?(.*)$/su.exec(text) ?? [];
  return create(rule, path === "" ? undefined : path, reason);
}

function refuseUnused(
  one: Allowance,
  changes: readonly ApiChange[],
  allows: (allowed: Allowance, change: ApiChange) => boolean,
): void {
  if (changes.some((change) => allows(one, change))) return;
  const places = changes.filter(({ rule }) => rule === one.rule).map(({ path }) => path);
  throw invalidArgument(
    `there is no change ${one.rule} at "${one.path ?? "any place"}"`,
    places.length > 0
      ? `the places of such changes are: ${places.join(", ")}`
      : "run tsbuilder api check for the changes that there are",
  );
}
