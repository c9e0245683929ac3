/**
 * Markers in comments. This file finds the markers of a module; `parse-marker.ts` parses one, `registry.ts` knows all
 * names, `families` defines them, `jsdoc-tags.ts` reads tags such as `@minimum` as markers.
 */

import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import {
  type CommentBlock,
  type Declaration,
  type LeadingComments,
  type Member,
  type Module,
  type TypeNode,
  isDefineKind,
} from "../loader/index.ts";
import { comparable } from "../model/schema.ts";
import type { MarkerArguments, MarkerDefinition, MarkerTarget } from "./definition.ts";
import { MarkerError, isMarkerLine, parseArguments, splitMarker } from "./parse-marker.ts";
import { describeTargets, lookUpMarker } from "./registry.ts";

/** A marker in a source, with its arguments as values. */
export interface Marker {
  readonly name: string;
  readonly definition: MarkerDefinition;
  readonly args: MarkerArguments;
  readonly place: Place;
  /** The text in the source, if it does not begin with a plus sign: `@minimum`. */
  readonly written?: string;
}

/** Returns a marker's name as it is written, for messages: `+optional`, `@minimum`. */
export function asWritten({ name, written }: Marker): string {
  return written ?? `+${name}`;
}

/** All markers of a file: on its declarations and members, and those of the package. */
export interface ModuleMarkers {
  /** Returns the markers of the type or field that has these comments. */
  on(comments: LeadingComments): readonly Marker[];
  readonly package: readonly Marker[];
}

const none: readonly Marker[] = [];

/**
 * Reads all markers of a file. Markers on a type or field belong to it; all others belong to the package, since rbac
 * markers are usually written above the method that needs them.
 */
export function collectMarkers(module: Module, log: DiagnosticLog): ModuleMarkers {
  const byOwner = new Map<LeadingComments, readonly Marker[]>();
  const forPackage: Marker[] = [];
  const claimed = new Set<CommentBlock>();
  const assign = (comments: LeadingComments, target: MarkerTarget): void => {
    if (byOwner.has(comments)) return;
    const blocks = comments.detached ? [comments.detached, ...comments.adjacent] : comments.adjacent;
    const kept: Marker[] = [];
    for (const block of blocks) {
      if (claimed.has(block)) continue;
      claimed.add(block);
      for (const marker of readBlock(block, target, module, log)) {
        (marker.definition.targets.includes(target) ? kept : forPackage).push(marker);
      }
    }
    warnOfLostMarkers(kept, log);
    byOwner.set(comments, kept.length > 0 ? kept : none);
  };
  for (const declaration of listDeclarations(module)) {
    if (declaration.kind !== "const" || isDefineKind(declaration, module))
      assign(declaration.comments, "type");
    forEachMember(declaration, (member) => assign(member.comments, "field"));
  }
  for (const block of module.comments) {
    if (!claimed.has(block)) forPackage.push(...readBlock(block, "package", module, log));
  }
  for (const block of module.comments)
    if (block.kind === "block") warnOfMarkersIn(block, module, log, "in a /* */ comment");
  for (const block of module.trailingComments) warnOfMarkersIn(block, module, log, "behind code");
  forPackage.sort((a, b) => a.place.pos - b.place.pos);
  return { on: (comments) => byOwner.get(comments) ?? none, package: forPackage };
}

function listDeclarations(module: Module): Declaration[] {
  const added = module.augmentations.flatMap(({ declarations }) => [...declarations.values()]);
  return [...module.declarations.values(), ...added].flat();
}

/** Visits the members of a declaration, including nested object types. */
function forEachMember(
  declaration: Declaration,
  visit: (member: Member & { comments: LeadingComments }) => void,
): void {
  const visitMembers = (members: readonly Member[]): void => {
    for (const member of members) {
      if (member.kind === "index") visitType(member.value);
      else {
        visit(member);
        if (member.kind === "property") visitType(member.type);
      }
    }
  };
  const visitType = (type: TypeNode): void => {
    if (type.kind === "object") visitMembers(type.members);
    else if (type.kind === "array") visitType(type.element);
    else if (type.kind === "reference") type.args.forEach(visitType);
    else if (type.kind === "union" || type.kind === "intersection") type.members.forEach(visitType);
    else if (type.kind === "mapped") visitType(type.type);
  };
  if (declaration.kind === "interface" || declaration.kind === "class") {
    visitMembers(declaration.members);
    declaration.extends.forEach(visitType);
    if (declaration.toJSON) visitType(declaration.toJSON);
  } else if (declaration.kind === "alias") visitType(declaration.type);
  else if (declaration.kind === "const" && declaration.value.kind === "call") {
    declaration.value.typeArguments.forEach(visitType);
  }
}

function readBlock(block: CommentBlock, target: MarkerTarget, module: Module, log: DiagnosticLog): Marker[] {
  const markers: Marker[] = [];
  if (block.kind === "block") return markers;
  for (const { text, pos } of block.lines) {
    if (!text.includes("+") && !text.includes("builder:")) continue;
    const trimmed = text.trim();
    if (!isMarkerLine(trimmed)) {
      warnOfMissedMarker(text, pos, module, log);
      continue;
    }
    const place = { module, pos: pos + text.indexOf("+") };
    const marker = readMarker(trimmed.slice(1), place, target, log);
    if (marker) markers.push(marker);
  }
  return markers;
}

/** Markers of fields that Go sources have on types, too: controller-gen ignores them there, and they are no errors here. */
const ignoredOnTypes = new Set("default nullable optional required k8s:optional k8s:required".split(" "));

/** Reads a marker; undefined for one of another tool, and after an error or a warning that it has no effect. */
function readMarker(
  text: string,
  place: Place,
  target: MarkerTarget,
  log: DiagnosticLog,
): Marker | undefined {
  const parts = splitMarker(text);
  const found = lookUpMarker(parts.name);
  if (found.kind === "foreign") return undefined;
  if (found.kind === "unknown") {
    const hint = found.suggestion
      ? `did you mean +${found.suggestion}?`
      : "tsbuilder manifests --markers lists all markers";
    log.error(place, `unknown marker "+${parts.name}"`, hint);
    return undefined;
  }
  const { definition } = found;
  if (target === "type" && ignoredOnTypes.has(definition.name)) {
    log.warn(place, `+${definition.name} has no effect on a type`, "put it on the fields of this type");
    return undefined;
  }
  if (target === "package" && definition.name === "kubebuilder:object:root") {
    const message = `+${definition.name} is on no type, and has no effect`;
    log.warn(place, message, "remove it: defineKind makes a kind");
    return undefined;
  }
  if (!definition.targets.includes(target) && !definition.targets.includes("package")) {
    const where = { field: "a field", type: "a type", package: "nothing it applies to" }[target];
    const message = `+${definition.name} is on ${where}`;
    log.error(place, message, `move it directly above ${describeTargets(definition.targets)}`);
    return undefined;
  }
  const at = (offset: number): Place => ({ module: place.module, pos: place.pos + 1 + offset });
  try {
    const args = parseArguments(parts, definition);
    const problem = definition.check?.(args);
    if (problem === undefined) return { name: definition.name, definition, args, place };
    log.error(at(Math.min(parts.valueOffset, text.length)), `+${definition.name}: ${problem}`);
  } catch (error) {
    if (!(error instanceof MarkerError)) throw error;
    log.error(at(Math.min(error.offset, text.length)), error.message, error.hint);
  }
  return undefined;
}

function warnOfMissedMarker(line: string, pos: number, module: Module, log: DiagnosticLog): void {
  const missed = findMissedMarker(line);
  if (!missed) return;
  const place = { module, pos: pos + missed.index };
  const message = `"${missed.name}" is text, and no marker`;
  log.warn(place, message, `begin a line with +${missed.name}, or quote it`);
}

/** A marker of a family behind other text. A name after a quote or a backtick is a quotation, and does not match. */
const withFamily = /(?<before>^|[\s*/-])\+*\s*(?<marker>(?:kubebuilder|tsbuilder|k8s):.*)$/u;

/** A marker without a family behind `+ `. Without the plus sign, `optional` is a word. */
const withoutFamily = /(?<before>^)\+\s+(?<marker>\w+(?:=.*)?)$/u;

/** Finds a marker without a plus sign at the start of its line: `+ optional`, `- +kubebuilder:default=1`. */
function findMissedMarker(line: string): { readonly name: string; readonly index: number } | undefined {
  const found = withFamily.exec(line) ?? withoutFamily.exec(line);
  if (!found?.groups) return undefined;
  const { name } = splitMarker(found.groups["marker"]!);
  const index = found.index + found.groups["before"]!.length;
  return lookUpMarker(name).kind === "known" ? { name, index } : undefined;
}

/** Warns of markers in a comment in which markers have no effect. */
function warnOfMarkersIn(block: CommentBlock, module: Module, log: DiagnosticLog, where: string): void {
  for (const { text, pos } of block.lines) {
    const trimmed = text.trim();
    if (!isMarkerLine(trimmed)) continue;
    const { name } = splitMarker(trimmed.slice(1));
    if (lookUpMarker(name).kind !== "known") continue;
    const place = { module, pos: pos + text.indexOf("+") };
    const message = `+${name} has no effect ${where}`;
    log.warn(place, message, "put it into a // or /** */ comment above what it is about");
  }
}

/** The markers that make a field required or optional, by precedence. */
const presence = [
  { name: "kubebuilder:validation:Optional", isRequired: false },
  { name: "kubebuilder:validation:Required", isRequired: true },
  { name: "optional", isRequired: false },
  { name: "k8s:optional", isRequired: false },
  { name: "required", isRequired: true },
  { name: "k8s:required", isRequired: true },
] as const;

/** Warns of markers that have no effect because of another marker on the same field or type. */
export function warnOfLostMarkers(markers: readonly Marker[], log: DiagnosticLog): void {
  if (markers.length < 2) return;
  for (const [i, marker] of markers.entries()) {
    const later = markers.slice(i + 1).find(({ name }) => name === marker.name);
    if (!later || marker.definition.repeatable || comparable(later.args) === comparable(marker.args))
      continue;
    const [lost, kept] = [asWritten(marker), asWritten(later)];
    const message =
      lost === kept
        ? `${lost} is given twice, and the last one counts`
        : `${lost} has no effect beside ${kept}, which sets the same`;
    log.warn(marker.place, message, "keep one of them");
  }
  const present = presence.flatMap(({ name, isRequired }) => {
    const found = markers.find((marker) => marker.name === name);
    return found ? [{ marker: found, isRequired }] : [];
  });
  const [first] = present;
  const other = present.find(({ isRequired }) => isRequired !== first?.isRequired);
  if (!first || !other) return;
  const result = first.isRequired ? "required" : "optional";
  const message = `+${other.marker.name} has no effect beside +${first.marker.name}: the field is ${result}`;
  log.warn(other.marker.place, message, "keep one of them");
}
