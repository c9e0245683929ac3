import { posix } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { withPlainLineEnds } from "../../shared/text.ts";
import type { GeneratorCache, KindMarker, KindSummary, MadeFrom } from "./cache.ts";
import { createCache } from "./cache.ts";
import { type KeptModule, type Module, keepModule, restoreModule } from "../loader/index.ts";
import { type Marker, type ModuleMarkers, collectMarkers } from "../markers/collect.ts";
import { type Diagnostic, DiagnosticLog } from "../model/diagnostic.ts";
import { lookUpMarker } from "../markers/registry.ts";
import type { SourceTree } from "../model/files.ts";

/** The sources of a result, with modules as indexes into `KeptResults.modules`. */
interface KeptFrom {
  readonly key: string;
  readonly modules: readonly number[];
}

/**
 * Restores the cache of an earlier process. Returns undefined if another version of the code wrote it (`code` is its
 * checksum), or if it cannot be read. CRDs whose files have changed since are omitted.
 */
export function restoreResults(
  bytes: Uint8Array,
  code: string,
  crdFolder: string,
  tree: SourceTree,
): GeneratorCache | undefined {
  const kept = read(bytes);
  if (kept?.code !== code) return undefined;
  const cache = createCache();
  const modules = kept.modules.map((source) => restoreSource(source, cache));
  const madeFrom = ({ key, modules: indexes }: KeptFrom): MadeFrom => ({
    key,
    modules: indexes.map((index) => modules[index]!),
  });
  for (const { file, kinds, ...from } of kept.kinds) cache.kinds.set(file, { ...madeFrom(from), kinds });
  for (const { name, fileName, checksum, ...from } of kept.crds) {
    const present = tree.read(posix.join(crdFolder, fileName));
    if (present === undefined) continue;
    const text = withPlainLineEnds(present);
    if (checksumOf(text) === checksum) cache.files.set(name, { ...madeFrom(from), fileName, text });
  }
  return cache;
}

/** A marker without its definition, which its name finds. */
interface KeptMarker extends Omit<Marker, "definition" | "place"> {
  readonly pos: number;
}

interface KeptSource extends KeptModule {
  /** The markers of its package; undefined if they were not read, or had findings. */
  readonly markers: readonly KeptMarker[] | undefined;
  readonly kindMarkers: readonly KindMarker[] | undefined;
}

/** A CRD without its text. */
interface KeptCrd extends KeptFrom {
  readonly name: string;
  readonly fileName: string;
  /** The checksum of the text, which is in the project itself. */
  readonly checksum: string;
}

/** The results of one process for the next: the part of a `GeneratorCache` that takes longer to compute than to read. */
interface KeptResults {
  /** The checksum of the code that computed them. */
  readonly code: string;
  readonly modules: readonly KeptSource[];
  readonly kinds: readonly (KeptFrom & { readonly file: string; readonly kinds: readonly KindSummary[] })[];
  readonly crds: readonly KeptCrd[];
}

/**
 * Returns the part of a cache that the next process can use. The next process must report findings again: results from
 * a file with a warning are omitted, and a run with an error, or with a finding without a place, keeps nothing.
 */
export function keepResults(
  cache: GeneratorCache,
  code: string,
  tree: SourceTree,
  findings: readonly Diagnostic[],
): Uint8Array | undefined {
  if (findings.some(({ severity, at }) => severity === "error" || !at)) return undefined;
  const filesWithFindings = new Set(findings.map(({ at }) => at?.file));
  const sources = [...cache.modules.values()].flatMap((module) => {
    const isReusable = !filesWithFindings.has(module.file) && tree.read(module.file) === module.text;
    const kept = isReusable ? keepModule(module) : undefined;
    return kept ? [{ module, kept: { ...kept, ...keptMarkers(module, cache) } }] : [];
  });
  const indexes = new Map(sources.map(({ module }, index) => [module, index]));
  const fromSources = ({ key, modules }: MadeFrom): KeptFrom[] => {
    const kept = modules.map((module) => indexes.get(module));
    return kept.every((index) => index !== undefined) ? [{ key, modules: kept }] : [];
  };
  // New results replace those of earlier runs.
  const crds = new Map([...cache.files, ...cache.crds]);
  const results: KeptResults = {
    code,
    modules: sources.map(({ kept }) => kept),
    kinds: [...cache.kinds].flatMap(([file, { kinds, ...made }]) =>
      fromSources(made).map((from) => ({ ...from, file, kinds })),
    ),
    crds: [...crds].flatMap(([name, { fileName, text, ...made }]) =>
      fromSources(made).map((from) => ({ ...from, name, fileName, checksum: checksumOf(text) })),
    ),
  };
  return serialize(results);
}

/** Returns whether a run added results to a cache; `before` are the results that are kept already. */
export function hasGrown({ modules, kinds, crds }: GeneratorCache, before: ReadonlySet<unknown>): boolean {
  return crds.size > 0 || [...modules.values(), ...kinds.values()].some((result) => !before.has(result));
}

/** Returns the results in a cache, for `hasGrown` after a run. */
export function listResults({ modules, kinds }: GeneratorCache): ReadonlySet<unknown> {
  return new Set<unknown>([...modules.values(), ...kinds.values()]);
}

function restoreSource({ markers, kindMarkers, ...kept }: KeptSource, cache: GeneratorCache): Module {
  const module = restoreModule(kept);
  cache.modules.set(module.file, module);
  if (markers) cache.markers.set(module, restoreMarkers(module, markers));
  if (kindMarkers) cache.kindMarkers.set(module, kindMarkers);
  return module;
}

/** Restores the markers of a package. Markers on types and fields are read together with the types. */
function restoreMarkers(module: Module, kept: readonly KeptMarker[]): ModuleMarkers {
  let all: ModuleMarkers | undefined;
  return {
    package: kept.flatMap(({ pos, ...marker }): Marker[] => {
      const found = lookUpMarker(marker.name);
      return found.kind === "known"
        ? [{ ...marker, definition: found.definition, place: { module, pos } }]
        : [];
    }),
    // Markers with findings are not kept, so the log can be dropped.
    on: (comments) => (all ??= collectMarkers(module, new DiagnosticLog())).on(comments),
  };
}

function keptMarkers(module: Module, cache: GeneratorCache): Pick<KeptSource, "markers" | "kindMarkers"> {
  const markers = cache.markers
    .get(module)
    ?.package.map(({ name, args, place: { pos }, written }): KeptMarker => ({
      name,
      args,
      pos,
      ...(written === undefined ? {} : { written }),
    }));
  return { markers, kindMarkers: cache.kindMarkers.get(module) };
}

function read(bytes: Uint8Array): KeptResults | undefined {
  try {
    return deserialize(bytes) as KeptResults;
  } catch {
    return undefined;
  }
}

/** Returns a CRC, which misses one edit in four billion. A hash would miss none, but loading node:crypto takes 6 ms. */
function checksumOf(text: string): string {
  return `${text.length}-${crc32(text)}`;
}
