import { crdFolder } from "../../generators/manifests.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { listReleases } from "../project/earlier-crds.ts";
import type { Finding } from "../reporting/report.ts";

/** Says which released version `tsbuilder api check` compares a project's kinds with; nothing for a project without kinds. */
export function checkRelease(root: string, tree: Tree): Finding[] {
  if (tree.list(crdFolder(tree, {})).length === 0) return [];
  const subject = "api check";
  const release = findRelease(root);
  if (release !== undefined)
    return [{ state: "good", subject, message: `the API is compared with ${release}` }];
  const message = "no version has been released that the API could be compared with";
  const remedy =
    "tag a released commit, such as git tag v0.1.0; until then: tsbuilder api check --against REF";
  return [{ state: "missing", subject, message, remedy }];
}

/** Without git, or in a repository that git refuses to read, there is none. */
function findRelease(root: string): string | undefined {
  try {
    return listReleases(root)[0]?.tag;
  } catch (error) {
    if (error instanceof TsbuilderError) return undefined;
    throw error;
  }
}
