// What an operator in Go says about itself outside of its types: the markers for its roles and webhooks, and the kinds that its
// controllers watch, as the builder of controller-runtime gets them.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { GoModules } from "./modules.ts";
import { readSource } from "./modules.ts";
import { type GoFile, type GoFunction, parseGo, unquote } from "./parse.ts";
import { GoSyntaxError, type GoToken } from "./scan.ts";

/** A kind as Go names it: the import path of its package, and its type. */
export interface GoKind {
  readonly path: string;
  readonly name: string;
}

/** A controller that is set up in Go. */
export interface GoController {
  readonly file: string;
  /** The line of its Reconcile function, or of the function that sets it up. */
  readonly line: number;
  /** The type that reconciles. */
  readonly receiver: string;
  /** The name that the builder gets. */
  readonly name: string | undefined;
  readonly reconciles: GoKind;
  readonly owns: readonly GoKind[];
  readonly watches: readonly GoKind[];
}

/** A marker of a file for the operator's roles or webhooks. */
export interface OperatorMarker {
  readonly file: string;
  readonly line: number;
  /** From the plus sign on. */
  readonly text: string;
}

export interface OperatorSources {
  readonly controllers: readonly GoController[];
  readonly markers: readonly OperatorMarker[];
  /** Files that were left out, and why. */
  readonly notes: readonly string[];
}

/** More files than this are no operator; the rest is not read. */
const maxFiles = 20_000;

/** Reads all Go files of a project but tests, `vendor` and hidden folders. */
export function readOperatorSources(root: string, modules: GoModules): OperatorSources {
  const controllers: GoController[] = [];
  const markers: OperatorMarker[] = [];
  const notes: string[] = [];
  const files = goFiles(root, "");
  if (files.length > maxFiles) notes.push(`only ${maxFiles} of ${files.length} Go files were read`);
  for (const file of files.slice(0, maxFiles)) {
    const text = readSource(join(root, file), (reason) => notes.push(`${file}: left out: ${reason}`));
    if (text === undefined || !/\+kubebuilder:(?:rbac|webhook)|ControllerManagedBy/u.test(text)) continue;
    try {
      const source = parseGo(text);
      markers.push(...markersOf(source).map((marker) => ({ file, ...marker })));
      controllers.push(...controllersOf(file, source, modules));
    } catch (error) {
      if (!(error instanceof GoSyntaxError)) throw error;
      notes.push(`${file}:${error.line}: left out: ${error.message}`);
    }
  }
  return { controllers, markers, notes };
}

function goFiles(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (/^[._]|^(?:vendor|testdata|node_modules|test)$/u.test(entry.name)) return [];
    if (entry.isDirectory()) return goFiles(root, path);
    return entry.isFile() && path.endsWith(".go") && !path.endsWith("_test.go") ? [path] : [];
  });
}

/** Markers count for the whole package unless they stand in the documentation of a type. */
function markersOf(source: GoFile): { text: string; line: number }[] {
  const loose = source.types.flatMap(({ comments, line }) =>
    comments.flatMap(({ isDoc, lines }) => (isDoc ? [] : lines.map((text) => ({ text, line })))),
  );
  return [...source.markers, ...loose]
    .map(({ text, line }) => ({ text: withoutRepeated(text.trim()), line }))
    .filter(({ text }) => /^\+kubebuilder:(?:rbac|webhook|webhookconfiguration):/u.test(text));
}

/** A marker without arguments that it has twice, which controller-gen reads once. */
function withoutRepeated(text: string): string {
  const parts = text.split(",");
  return parts.filter((part, i) => !part.includes("=") || parts.indexOf(part) === i).join(",");
}

function controllersOf(file: string, source: GoFile, modules: GoModules): GoController[] {
  return source.functions.flatMap((one): GoController[] => {
    if (!one.tokens.some(({ text }) => text.endsWith("ControllerManagedBy"))) return [];
    const kinds = (method: string): GoKind[] => kindsGivenTo(one, method, source, modules);
    const [reconciles] = kinds("For");
    if (reconciles === undefined) return [];
    const { receiver } = one;
    const reconcile = source.functions.find(
      (each) => each.receiver === receiver && each.name === "Reconcile",
    );
    return [
      {
        file,
        line: (reconcile ?? one).line,
        receiver: receiver ?? one.name,
        name: nameGiven(one),
        reconciles,
        owns: distinct(kinds("Owns")),
        watches: distinct(kinds("Watches")),
      },
    ];
  });
}

function distinct(kinds: readonly GoKind[]): GoKind[] {
  return [...new Map(kinds.map((kind) => [`${kind.path}.${kind.name}`, kind])).values()];
}

/** The kinds in calls such as `Owns(&appsv1.Deployment{})`: the first composite literal of each call. */
function kindsGivenTo({ tokens }: GoFunction, method: string, source: GoFile, modules: GoModules): GoKind[] {
  return tokens.flatMap(({ text, kind }, i): GoKind[] => {
    if (kind !== "name" || text !== method || tokens[i + 1]?.text !== "(") return [];
    const end = closing(tokens, i + 1);
    const call = tokens.slice(i + 2, end);
    const literal = call.findIndex((token, at) => token.text === "&" && call[at + 1]?.kind === "name");
    if (literal === -1) return [];
    const [first, dot, second] = call.slice(literal + 1);
    // In controller-runtime's former form the kind is within &source.Kind{Type: &v1.Pod{}}.
    if (second?.text === "Kind") {
      const inner = call.findIndex(
        (token, at) => at > literal && token.text === "&" && call[at + 1]?.kind === "name",
      );
      const [alias, , name] = inner === -1 ? [] : call.slice(inner + 1);
      return alias && name ? kindOf(alias.text, name.text, source, modules) : [];
    }
    return dot?.text === "." && second ? kindOf(first!.text, second.text, source, modules) : [];
  });
}

function kindOf(alias: string, name: string, source: GoFile, modules: GoModules): GoKind[] {
  const imported =
    source.imports.find((each) => each.name === alias) ??
    source.imports.find((each) => each.name === undefined && modules.nameOf(each.path) === alias);
  return imported === undefined ? [] : [{ path: imported.path, name }];
}

function nameGiven({ tokens }: GoFunction): string | undefined {
  const at = tokens.findIndex(({ text }, i) => text === "Named" && tokens[i + 1]?.text === "(");
  const name = tokens[at + 2];
  return at !== -1 && name?.kind === "string" ? unquote(name.text) : undefined;
}

/** The place of the bracket that closes the one at a place. */
function closing(tokens: readonly GoToken[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "symbol") continue;
    if ("([{".includes(text)) depth++;
    if (")]}".includes(text) && --depth === 0) return i;
  }
  return tokens.length;
}
