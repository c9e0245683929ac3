import type { RestMapper } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";

/** Throws unless the cluster has a resource such as `statefulsets.apps`, `statefulsets` or `pods/status`. */
export async function checkIsServed(mapper: RestMapper, resource: string): Promise<void> {
  const written = resource.replace(/\/.*/u, "");
  // A CRD may have been installed since the last time.
  mapper.reset();
  const kinds = await mapper.kinds();
  const names = kinds.map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`));
  if (names.includes(written) || kinds.some(({ plural }) => plural === written)) return;
  const ofKind = kinds.findIndex(({ kind }) => kind.toLowerCase() === written.toLowerCase());
  const meant = names[ofKind] ?? didYouMean(written, names);
  throw new TsbuilderError(`the cluster has no resource "${written.slice(0, 100)}"`, {
    code: "INVALID_ARGUMENT",
    hint: meant ? `did you mean "${meant}"?` : "kubectl api-resources lists them",
  });
}
