// Finds Go packages on the disk as `go` does, without running it: in the project, in its `vendor/`, and in the module cache at the
// versions of go.mod. Nothing is downloaded. In the project no symbolic link is followed and no path leaves the folder.

import { lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { type GoFile, parseGo } from "./parse.ts";
import { GoSyntaxError } from "./scan.ts";

/** A package with its parsed files. */
export interface ParsedPackage {
  readonly path: string;
  readonly name: string;
  readonly files: readonly { readonly file: string; readonly source: GoFile }[];
}

/** The Go module in a folder. */
export class GoModules {
  /** What was left out, and why, with its place. */
  readonly notes: string[] = [];
  readonly #root: string;
  readonly #goMod: GoMod;
  readonly #found = new Map<string, ParsedPackage | undefined>();

  /** Reads `go.mod`. A folder without one has no module, and only the packages that are asked for by their folder. */
  constructor(root: string) {
    this.#root = realpathSync(root);
    this.#goMod = parseGoMod(readSource(join(this.#root, "go.mod")) ?? "");
  }

  /** The path of the module; empty without a go.mod. */
  get path(): string {
    return this.#goMod.module;
  }

  /** The import path of a folder in the project. */
  importPath(folder: string): string {
    return [this.#goMod.module, ...folder.split("/").filter((part) => part !== "" && part !== ".")].join("/");
  }

  /** Finds a package by its import path; undefined if it isn't on this machine, as is any of Go's own. */
  find(path: string): ParsedPackage | undefined {
    if (!this.#found.has(path)) this.#found.set(path, this.#parse(path));
    return this.#found.get(path);
  }

  /** The names of the folders at an import path in the project. */
  foldersIn(path: string): string[] {
    const folder = path.startsWith(`${this.path}/`)
      ? inside(this.#root, path.slice(this.path.length + 1))
      : undefined;
    const entries = folder === undefined ? [] : readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  }

  /** The version of a module that the project requires; undefined if it doesn't. */
  versionOf(module: string): string | undefined {
    return this.#goMod.requires.get(module);
  }

  /** The name of a package, which need not be the end of its path. */
  nameOf(path: string): string {
    return this.find(path)?.name ?? path.replace(/\/v\d+$/u, "").replace(/^.*\//u, "");
  }

  #parse(path: string): ParsedPackage | undefined {
    const place = this.#folderOf(path);
    if (place === undefined) return undefined;
    const { folder, isOwn } = place;
    const files: { file: string; source: GoFile }[] = [];
    for (const name of namesIn(folder)) {
      if (!isBuilt(name)) continue;
      const absolute = join(folder, name);
      const file = isOwn ? relative(this.#root, absolute).split(sep).join("/") : `${path}/${name}`;
      const text = readSource(absolute, (reason) => this.notes.push(`${file}: left out: ${reason}`));
      if (text === undefined || !meetsConstraint(text)) continue;
      try {
        files.push({ file, source: parseGo(text) });
      } catch (error) {
        if (!(error instanceof GoSyntaxError)) throw error;
        this.notes.push(`${file}:${error.line}: left out: ${error.message}`);
      }
    }
    const [first] = files;
    return first && { path, name: first.source.packageName, files };
  }

  #folderOf(path: string): { folder: string; isOwn: boolean } | undefined {
    const { module, requires, replaces } = this.#goMod;
    if (!path.split("/").every((part) => /^[\w.~+-]+$/u.test(part) && !/^\.+$/u.test(part))) return undefined;
    if (module !== "" && (path === module || path.startsWith(`${module}/`))) {
      const folder = inside(this.#root, path.slice(module.length + 1));
      if (folder !== undefined) return { folder, isOwn: true };
    }
    const owner = [...requires.keys(), ...replaces.keys()]
      .filter((name) => path === name || path.startsWith(`${name}/`))
      .sort((a, b) => b.length - a.length)[0];
    if (owner === undefined) return undefined;
    const rest = path.slice(owner.length + 1);
    const vendored = inside(this.#root, `vendor/${path}`);
    if (vendored !== undefined) return { folder: vendored, isOwn: true };
    const replaced = replaces.get(owner);
    if (replaced !== undefined && /^\.\.?\//u.test(replaced.path)) {
      const folder = inside(this.#root, join(replaced.path, rest));
      return folder === undefined ? undefined : { folder, isOwn: true };
    }
    const { path: name, version } = replaced ?? { path: owner, version: requires.get(owner) ?? "" };
    const folder = inside(moduleCache(), join(`${escapePath(name)}@${escapePath(version)}`, rest));
    return folder === undefined ? undefined : { folder, isOwn: false };
  }
}

interface GoMod {
  readonly module: string;
  readonly requires: ReadonlyMap<string, string>;
  readonly replaces: ReadonlyMap<string, { readonly path: string; readonly version: string }>;
}

function parseGoMod(text: string): GoMod {
  const requires = new Map<string, string>();
  const replaces = new Map<string, { path: string; version: string }>();
  let module = "";
  let block = "";
  for (const line of text.split("\n")) {
    const words = line
      .replace(/\/\/.*$/u, "")
      .split(/\s+/u)
      .filter((word) => word !== "");
    if (words[1] === "(") block = words[0]!;
    else if (words[0] === ")") block = "";
    else {
      const [directive, ...rest] = block === "" ? words : [block, ...words];
      if (directive === "module") module = (rest[0] ?? "").replaceAll('"', "");
      if (directive === "require" && rest.length >= 2) requires.set(rest[0]!, rest[1]!);
      const arrow = rest.indexOf("=>");
      if (directive === "replace" && arrow > 0)
        replaces.set(rest[0]!, { path: rest[arrow + 1] ?? "", version: rest[arrow + 2] ?? "" });
    }
  }
  return { module, requires, replaces };
}

function moduleCache(): string {
  const { GOMODCACHE, GOPATH } = process.env;
  if (GOMODCACHE) return GOMODCACHE;
  return join(GOPATH ? GOPATH.split(":")[0]! : join(homedir(), "go"), "pkg/mod");
}

/** The module cache writes an upper-case letter as `!` and the lower-case one. */
const escapePath = (path: string): string =>
  path.replaceAll(/[A-Z]/gu, (letter) => `!${letter.toLowerCase()}`);

/** The folder at a path below another; undefined if there is none, or if a symbolic link leads there. */
function inside(root: string, path: string): string | undefined {
  const folder = join(root, path);
  try {
    const real = realpathSync(folder);
    const isBelow = real === join(realpathSync(root), path) && !relative(root, folder).startsWith("..");
    return isBelow && lstatSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Larger files than this are no API types that a person wrote. */
const maxBytes = 2_000_000;

/** The text of a regular file; undefined without one, or if it is too large, which is noted. */
export function readSource(path: string, note: (reason: string) => void = () => {}): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) note("it is a symbolic link");
  else if (!found.isFile()) note("it is no file");
  else if (found.size > maxBytes) note(`it has more than ${maxBytes} bytes`);
  else return readFileSync(path, "utf8");
  return undefined;
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go") && !/^[_.]/u.test(name))
    .sort();
}

/** Returns whether a file's name is for Linux, where operators run: `x_windows.go` is not. */
function isBuilt(name: string): boolean {
  return !/_(?:windows|darwin|freebsd|netbsd|openbsd|plan9|solaris|wasm|js|arm|arm64|386|ppc64le|s390x|riscv64)\.go$/u.test(
    name,
  );
}

/** Returns whether the `//go:build` line of a file holds on Linux without further tags. */
function meetsConstraint(text: string): boolean {
  const constraint = /^\/\/go:build (.+)$/mu.exec(text.slice(0, 10_000))?.[1];
  if (constraint === undefined) return true;
  const words = [...constraint.matchAll(/\|\||&&|[!()]|[\w.]+/gu)].map(([word]) => word);
  let at = 0;
  const either = (): boolean => {
    let holds = both();
    while (words[at] === "||") {
      at++;
      holds = both() || holds;
    }
    return holds;
  };
  const both = (): boolean => {
    let holds = one();
    while (words[at] === "&&") {
      at++;
      holds = one() && holds;
    }
    return holds;
  };
  const one = (): boolean => {
    const word = words[at++];
    if (word === "!") return !one();
    if (word !== "(") return word !== undefined && /^(?:linux|unix|amd64|gc|go1\.\d+)$/u.test(word);
    const holds = either();
    at++;
    return holds;
  };
  return either();
}
