import { posix } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { withPlainLineEnds } from "../shared/text.ts";
import type { KindMarker, KindSummary } from "./crd/find-kinds.ts";
import { type KeptModule, keepModule, type Module, restoreModule } from "./loader/index.ts";
import { collectMarkers, type Marker, type ModuleMarkers } from "./markers/collect.ts";
import { type Diagnostic, DiagnosticLog } from "./diagnostic.ts";
import { lookUpMarker } from "./markers/registry.ts";
import { createCache, type GeneratorCache, type MadeFrom } from "./project-sources.ts";
import type { SourceTree } from "./source-tree.ts";

/** What one process keeps for the next: that of a `GeneratorCache` which takes longer to find than to read. */
interface KeptResults {
  /** Of the code that found them. */
  readonly code: string;
  readonly modules: readonly KeptSource[];
  readonly kinds: readonly (KeptFrom & { readonly file: string; readonly kinds: readonly KindSummary[] })[];
  readonly crds: readonly KeptCrd[];
}

interface KeptSource extends KeptModule {
  /** Those of its package; undefined where markers were not read, or had findings. */
  readonly markers: readonly KeptMarker[] | undefined;
  readonly kindMarkers: readonly KindMarker[] | undefined;
}

interface KeptMarker extends Omit<Marker, "definition" | "place"> {
  readonly pos: number;
}

/** Modules by their place in the list. */
interface KeptFrom {
  readonly key: string;
  readonly modules: readonly number[];
}

interface KeptCrd extends KeptFrom {
  readonly name: string;
  readonly fileName: string;
  /** Of the text, which is in the project itself. */
  readonly checksum: string;
}

/** A cache with what an earlier process kept; undefined if other code, or nobody, wrote it. */
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
  const madeFrom = ({ key, modules: places }: KeptFrom): MadeFrom => ({
    key,
    modules: places.map((place) => modules[place]!),
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

/**
 * What the next process can use of a cache, after a run with some findings. They must be reported again: nothing is kept
 * that is made from a file with one, and nothing at all of a run with an error, or with a finding that has no place.
 */
export function keepResults(
  cache: GeneratorCache,
  code: string,
  tree: SourceTree,
  findings: readonly Diagnostic[],
): Uint8Array | undefined {
  if (findings.some(({ severity, at }) => severity === "error" || !at)) return undefined;
  const found = new Set(findings.map(({ at }) => at?.file));
  const sources = [...cache.modules.values()].flatMap((module) => {
    const isSame = !found.has(module.file) && tree.read(module.file) === module.text;
    const kept = isSame ? keepModule(module) : undefined;
    return kept ? [{ module, kept: { ...kept, ...keptMarkers(module, cache) } }] : [];
  });
  const places = new Map(sources.map(({ module }, place) => [module, place]));
  const fromSources = ({ key, modules }: MadeFrom): KeptFrom[] => {
    const all = modules.map((module) => places.get(module));
    return all.every((place) => place !== undefined) ? [{ key, modules: all }] : [];
  };
  // What was generated now replaces what was known.
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

/** Whether a run with a cache found anything that is not kept yet. */
export function isGrown({ modules, kinds, crds }: GeneratorCache, before: ReadonlySet<unknown>): boolean {
  return crds.size > 0 || [...modules.values(), ...kinds.values()].some((result) => !before.has(result));
}

/** What is kept already. */
export function resultsOf({ modules, kinds }: GeneratorCache): ReadonlySet<unknown> {
  return new Set<unknown>([...modules.values(), ...kinds.values()]);
}

function restoreSource({ markers, kindMarkers, ...kept }: KeptSource, cache: GeneratorCache): Module {
  const module = restoreModule(kept);
  cache.modules.set(module.file, module);
  if (markers) cache.markers.set(module, restoreMarkers(module, markers));
  if (kindMarkers) cache.kindMarkers.set(module, kindMarkers);
  return module;
}

/** Markers of a package are known; those on types and fields are read when the types are. */
function restoreMarkers(module: Module, kept: readonly KeptMarker[]): ModuleMarkers {
  let all: ModuleMarkers | undefined;
  return {
    package: kept.flatMap(({ pos, ...marker }): Marker[] => {
      const found = lookUpMarker(marker.name);
      return found.kind === "known"
        ? [{ ...marker, definition: found.definition, place: { module, pos } }]
        : [];
    }),
    // They had no findings.
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

/** A CRC misses one edit in four billion. A hash would miss none, but to load Node's cryptography takes 6 ms. */
function checksumOf(text: string): string {
  return `${text.length}-${crc32(text)}`;
}
