import type { KeyToPath, VolumeProjection, Volume } from "./types.ts";

interface Place {
  readonly path: string;
  /** The source of a projected volume that has the path; empty for other volumes. */
  readonly source: string;
}

/** Finds conflicting paths of files in a volume. */
export function* overlappingPaths(volumes: readonly Volume[]): Generator<string, void> {
  for (const { name = "", configMap, secret, downwardAPI, projected } of volumes) {
    const say = (kind: string, [a, b]: readonly [Place, Place]): string =>
      `volume ${JSON.stringify(name)} (${kind}): overlapping paths: ${show(a)} with ${show(b)}`;
    if (configMap) {
      const kind = `ConfigMap ${JSON.stringify(configMap.name ?? "")}`;
      for (const pair of overlaps(places(configMap.items))) yield say(kind, pair);
    }
    if (secret) {
      const kind = `Secret ${JSON.stringify(secret.secretName ?? "")}`;
      for (const pair of overlaps(places(secret.items))) yield say(kind, pair);
    }
    for (const pair of overlaps(places(downwardAPI?.items))) yield say("DownwardAPI", pair);
    const projections = projected?.sources ?? [];
    if (projections.some((source) => Object.keys(source).length === 0)) {
      yield `volume ${JSON.stringify(name)} (Projected) has no sources provided`;
    }
    for (const pair of overlaps(projections.flatMap(projectedPlaces))) yield say("Projected", pair);
  }
}

function projectedPlaces({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): Place[] {
  if (configMap?.items) return places(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items) return places(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items) return places(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return places([serviceAccountToken], "ServiceAccountToken");
  return [];
}

function places(items: ReadonlyArray<Pick<KeyToPath, "path">> = [], source = ""): Place[] {
  return items.map(({ path = "" }) => ({ path: path.replace(/\/+$/, ""), source }));
}

function* overlaps(all: readonly Place[]): Generator<readonly [Place, Place]> {
  for (const [index, later] of all.entries()) {
    for (const earlier of all.slice(0, index)) {
      if (earlier.path === "" || later.path === "") continue;
      if (isBelow(earlier.path, later.path) || isBelow(later.path, earlier.path)) yield [later, earlier];
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}

function show({ path, source }: Place): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
