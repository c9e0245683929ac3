import type { Tree } from "../../scaffold/tree.ts";
import { csvKind } from "../bundle-format.ts";
import { sortFindings } from "../rule-finding.ts";
import { checkAnnotations } from "./check-annotations.ts";
import { checkApis } from "./check-apis.ts";
import { checkCrds, checkOwned } from "./check-crds.ts";
import { checkCsv } from "./check-csv.ts";
import { checkDependencies } from "./check-dependencies.ts";
import { checkExamples } from "./check-examples.ts";
import { checkBuiltIn, checkCsvFields } from "./check-fields.ts";
import { checkImages } from "./check-images.ts";
import { checkInstall } from "./check-install.ts";
import { checkObjects } from "./check-objects.ts";
import { optionalChecks } from "./check-optional.ts";
import { checkSize } from "./check-size.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import type { BundleFinding } from "./finding.ts";
import { readBundle } from "./read-bundle.ts";
import type { OptionalSet } from "./rules.ts";

export interface ValidateOptions {
  readonly optional?: readonly OptionalSet[];
  /** The version of Kubernetes that the bundle is for, beside its own `minKubeVersion`. */
  readonly kubernetes?: string | undefined;
  readonly requireDigests?: boolean;
}

/**
 * Checks a bundle below a folder of a tree by all rules that hold for every bundle, and those of optional sets.
 * Whatever the files contain, the answer is findings, sorted by position.
 */
export async function validateBundle(
  tree: Tree,
  folder: string,
  { optional = [], kubernetes, requireDigests = false }: ValidateOptions = {},
): Promise<BundleFinding[]> {
  const { bundle, findings: unreadable } = readBundle(tree, folder);
  const { objects } = bundle;
  const others = objects.filter((object) => object.get("kind").value !== csvKind);
  const crdFindings = await checkCrds(bundle);
  const broken = new Set(crdFindings.map(({ position }) => position.file));
  const findings = [
    ...unreadable,
    ...checkAnnotations(bundle),
    ...checkCsv(bundle),
    ...(await checkCsvFields(bundle)),
    ...checkInstall(bundle),
    ...checkOwned(bundle),
    ...checkDependencies(bundle),
    ...crdFindings,
    ...checkExamples(bundle, broken),
    ...checkWebhooks(bundle),
    ...checkImages(bundle, { requireDigests }),
    ...checkObjects(bundle),
    ...(await Promise.all(others.map(checkBuiltIn))).flat(),
    ...checkApis(bundle, kubernetes),
    ...checkSize(bundle),
    ...optional.flatMap((set) => [...optionalChecks[set](bundle)]),
  ];
  return sortFindings(findings);
}
