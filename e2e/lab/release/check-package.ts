import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { licensesFile } from "../../../src/shared/third-party-licenses.ts";
import type { PackedFile } from "../../../src/packaging/tarball.ts";

/** The fields of a packed `package.json` that are checked. */
interface Manifest {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const requiredFiles = ["LICENSE", "README.md"];
const unwantedFile = /\.test(?:-d)?\.[jt]s|\.tsbuildinfo$|(?:^|\/)node_modules\//u;

/** Returns the problems that users of a packed package would have; none for one that is fit for a registry. */
export function checkPackage(files: readonly PackedFile[]): string[] {
  const contents = new Map(files.map(({ path, content }) => [path, Buffer.from(content)]));
  const read = (path: string): string => contents.get(path)?.toString("utf8") ?? "";
  const manifest = JSON.parse(read("package.json")) as Manifest;
  const paths = [...contents.keys()];
  return [
    ...checkFields(manifest),
    ...requiredFiles.filter((path) => !contents.has(path)).map((path) => `${path} is missing`),
    ...checkPrograms(manifest, files),
    ...checkExports(manifest, paths),
    ...paths.filter((path) => unwantedFile.test(path)).map((path) => `${path} is of no use to others`),
    ...paths.filter(isModule).flatMap((path) => checkImports(path, read(path), manifest, contents)),
    ...reachableDeclarations(manifest, paths, read)
      .filter((path) => optionalPeers(manifest).some((name) => read(path).includes(`"${name}`)))
      .map((path) => `${path} needs types of an optional package, which a project may lack`),
    ...checkSources(manifest.name, paths),
    ...paths
      .filter((path) => path.endsWith(".d.ts.map"))
      .flatMap((path) => checkMap(path, read(path), contents)),
    ...checkBundles(paths),
  ].map((problem) => `${manifest.name}: ${problem}`);
}

function checkFields(manifest: Manifest): string[] {
  const required = ["version", "description", "license", "type", "engines"];
  const forbidden = ["private", "scripts", "devDependencies", "workspaces", "bundleDependencies"];
  return [
    ...required.filter((field) => manifest[field] === undefined).map((field) => `has no "${field}"`),
    ...forbidden.filter((field) => manifest[field] !== undefined).map((field) => `has "${field}"`),
    ...Object.entries(manifest.dependencies ?? {})
      .filter(([, range]) => range.includes(":"))
      .map(([name, range]) => `depends on ${name} by "${range}", which is not a range`),
  ];
}

function checkPrograms({ bin = {} }: Manifest, files: readonly PackedFile[]): string[] {
  return Object.values(bin).flatMap((path) => {
    const program = files.find((file) => file.path === path);
    if (program === undefined) return [`the program ${path} is missing`];
    const hasShebang = Buffer.from(program.content).toString("utf8").startsWith("#!/usr/bin/env node\n");
    return program.executable && hasShebang ? [] : [`the program ${path} can't be executed`];
  });
}

/** Checks `exports`: types come first, since the first matching condition counts, and belong to the code beside them. */
function checkExports({ exports = {} }: Manifest, paths: readonly string[]): string[] {
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return checkTarget(subpath, target, paths);
    const conditions = Object.keys(target);
    const published = conditions.filter((condition) => !condition.startsWith("@"));
    const order =
      published.join() === "types,default" ? [] : [`exports "${subpath}" by ${published.join(", ")}`];
    const typesOf = target["types"]?.replace(/\.d\.ts$/u, "");
    const isPair = typesOf === target["default"]?.replace(/\.js$/u, "") || !target["default"]?.includes("*");
    return [
      ...order,
      ...(isPair ? [] : [`exports "${subpath}" with types of other modules`]),
      ...published.flatMap((condition) => checkTarget(subpath, target[condition]!, paths)),
    ];
  });
}

function checkTarget(subpath: string, target: string, paths: readonly string[]): string[] {
  const [before = "", after] = target.replace(/^\.\//u, "").split("*");
  const exists = paths.some((path) =>
    after === undefined ? path === before : path.startsWith(before) && path.endsWith(after),
  );
  return exists ? [] : [`exports "${subpath}" as ${target}, which is missing`];
}

const isModule = (path: string): boolean => /^(?:bin|dist)\/.*\.(?:js|cjs|d\.ts)$/u.test(path);

type Files = ReadonlyMap<string, unknown>;

/** Packages that have types, which our declarations may import. npm installs `ws` without `@types/ws`. */
const typedPackage = /^(?:@tsbuilder\/.*|prom-client|re2js|yaml)$/u;
const importStatement = /^(?:(?:import|export|\}).*? from |import )"([^"]+)";$|\bimport\("([^"]+)"\)/gmu;
/** Template literals: their content is the text of other programs. */
const template = /`(?:\\.|[^`\\])*`/gsu;
const requireCall = /(?<!['"\w.])require\("([^"]+)"\)/gu;

/** Checks that a module imports only files of the package, Node's modules, and packages that npm installs with it. */
function checkImports(path: string, text: string, manifest: Manifest, files: Files): string[] {
  const dependencies = { ...manifest.dependencies, ...manifest.peerDependencies };
  const known = new Set([manifest.name, ...Object.keys(dependencies)]);
  const imports = path.endsWith(".cjs") ? requireCall : importStatement;
  return [...text.replaceAll(template, "").matchAll(imports)].flatMap(([, statement, call]) => {
    const specifier = statement ?? call ?? "";
    if (specifier.startsWith("."))
      return isInPackage(path, specifier, files) ? [] : [uninstalled(path, specifier)];
    const [scope = "", name] = specifier.split("/");
    const packageName = scope.startsWith("@") ? `${scope}/${name}` : scope;
    if (!isBuiltin(specifier) && !known.has(packageName)) return [uninstalled(path, specifier)];
    const hasTypes =
      isBuiltin(specifier) ||
      packageName === manifest.name ||
      typedPackage.test(packageName) ||
      optionalPeers(manifest).includes(packageName);
    return path.endsWith(".d.ts") && !hasTypes
      ? [`${path} needs types of "${specifier}", which it lacks`]
      : [];
  });
}

function optionalPeers({ peerDependenciesMeta = {} }: Manifest): string[] {
  return Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional === true);
}

/** Returns the declarations that a compiler reads for an import of the package. */
function reachableDeclarations(
  { exports = {} }: Manifest,
  paths: readonly string[],
  read: (path: string) => string,
): string[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !paths.includes(path)) return;
    reached.add(path);
    for (const [, statement, call] of read(path).matchAll(importStatement)) {
      const specifier = statement ?? call ?? "";
      if (specifier.startsWith("."))
        visit(posix.join(posix.dirname(path), specifier).replace(/(?<!\.d)\.[jt]s$/u, ".d.ts"));
    }
  };
  for (const target of Object.values(exports))
    if (typeof target !== "string") {
      const [before = "", after = ""] = (target["types"] ?? "").replace(/^\.\//u, "").split("*");
      const isExported = (path: string): boolean => path.startsWith(before) && path.endsWith(after);
      for (const path of paths.filter(isExported)) visit(path);
    }
  return [...reached];
}

const uninstalled = (path: string, specifier: string): string =>
  `${path} imports "${specifier}", which npm won't install`;

/** Returns whether an import names a file of the package. Declarations name sources: `./a.ts` means `a.d.ts`. */
function isInPackage(path: string, specifier: string, files: Files): boolean {
  const target = posix.join(posix.dirname(path), specifier);
  return files.has(target) || (path.endsWith(".d.ts") && files.has(target.replace(/\.[jt]s$/u, ".d.ts")));
}

/**
 * Packages without sources, in which editors stop at the declarations. The cluster's sources would double its size, and users
 * need only its entry point; the CLI's library is a bundle.
 */
const withoutSources = new Set(["@tsbuilder/cluster", "tsbuilder"]);

/** Declarations of built-in kinds are generated, and say as much as their sources. */
function checkSources(name: string, paths: readonly string[]): string[] {
  if (withoutSources.has(name)) return [];
  const present = new Set(paths);
  return paths
    .filter((path) => /^dist\/(?!k8s\/|kinds\/generated\/).*\.d\.ts$/u.test(path))
    .filter((path) => !present.has(`${path}.map`))
    .map((path) => `${path} has no map to its source`);
}

/** Checks that the sources in a declaration map are in the package: editors go there for a definition. */
function checkMap(path: string, text: string, files: Files): string[] {
  const { sources } = JSON.parse(text) as { readonly sources: readonly string[] };
  return sources
    .filter((source) => !files.has(posix.join(posix.dirname(path), source)))
    .map((source) => `${path} names ${source}, which is missing`);
}

/** Checks that bundles come with licenses: they contain code of others, whose licenses require their text. */
function checkBundles(paths: readonly string[]): string[] {
  const bundles = new Set(
    paths.flatMap((path) => /^(dist\/(?:cli|lib))\/[^/]+\.c?js$/u.exec(path)?.[1] ?? []),
  );
  return [...bundles]
    .map((folder) => `${folder}/${licensesFile}`)
    .filter((path) => !paths.includes(path))
    .map((path) => `${path} is missing`);
}
