import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { selectorProblems } from "../../checks/label-selector.ts";
import { fileMode, unreservedPath } from "../../checks/paths.ts";
import { needed, type Problems } from "../../checks/problems.ts";
import { containerResources, fieldReference, resourceReference } from "./references.ts";
import type { DownwardAPIVolumeFile, KeyToPath, VolumeProjection } from "./types.ts";

/** An item of a ConfigMap or Secret that becomes a file. */
export function* keyToPath(field: string, { key, path = "", mode }: KeyToPath): Problems {
  yield* needed(`${field}.key`, key);
  yield* needed(`${field}.path`, path);
  yield* unreservedPath(`${field}.path`, path);
  yield* fileMode(`${field}.mode`, mode);
}

const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** An item of the downward API that becomes a file. */
export function* downwardFile(field: string, file: DownwardAPIVolumeFile): Problems {
  const { path = "", fieldRef, resourceFieldRef, mode } = file;
  yield* needed(`${field}.path`, path);
  yield* unreservedPath(`${field}.path`, path);
  if (fieldRef) {
    yield* fieldReference(`${field}.fieldRef`, fieldRef, fileFields);
    if (resourceFieldRef) {
      yield invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef) {
    yield* resourceReference(`${field}.resourceFieldRef`, resourceFieldRef, containerResources, true);
  } else yield required(field, "one of fieldRef and resourceFieldRef is required");
  yield* fileMode(`${field}.mode`, mode);
}

const shortestToken = 600;
const longestToken = 2 ** 32;

/** The sources of a projected volume: no two may have the same file. */
export function* projections(field: string, sources: readonly VolumeProjection[]): Problems {
  const taken = new Set<string>();
  function* take(path: string, shown: string): Problems {
    if (path !== "" && taken.has(path)) yield invalid(field, shown, "conflicting duplicate paths");
    taken.add(path);
  }
  for (const [index, source] of sources.entries()) {
    const at = `${field}.sources[${index}]`;
    for (const name of ["secret", "configMap"] as const) {
      const keys = source[name];
      if (!keys) continue;
      yield* needed(`${at}.${name}.name`, keys.name);
      for (const [each, item] of (keys.items ?? []).entries()) {
        yield* keyToPath(`${at}.${name}.items[${each}]`, item);
        yield* take(item.path ?? "", keys.name ?? "");
      }
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* downwardFile(`${at}.downwardAPI`, file);
      yield* take(file.path ?? "", file.path ?? "");
    }
    const { clusterTrustBundle: bundle } = source;
    // A ClusterTrustBundle with a name must not have a selector.
    if (bundle?.signerName !== undefined && bundle.name === undefined) {
      yield* selectorProblems(`${at}.clusterTrustBundle.labelSelector`, bundle.labelSelector);
    }
    if (source.serviceAccountToken) yield* token(field, at, source.serviceAccountToken);
    if (Object.keys(source).length > 1) {
      yield forbidden(at, "may not specify more than 1 volume type per source");
    }
  }
}

/** The real server reports the path of the token as that of the volume. */
function* token(
  volume: string,
  source: string,
  { expirationSeconds = 0, path = "" }: NonNullable<VolumeProjection["serviceAccountToken"]>,
): Problems {
  const at = `${source}.serviceAccountToken.expirationSeconds`;
  if (expirationSeconds < shortestToken) {
    yield invalid(at, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > longestToken) {
    yield invalid(at, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  if (path === "") yield required(`${volume}.path`);
  else yield* unreservedPath(`${volume}.path`, path);
}
