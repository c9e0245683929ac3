import { refuseTooDeep } from "../too-deep.ts";
import { parseModule } from "./parse-module.ts";
import type { Module } from "./syntax.ts";

/** What is known of a module without parsing it again. Only of one without syntax errors and `declare module`. */
export interface KeptModule {
  readonly file: string;
  readonly text: string;
  readonly imports: Module["imports"];
  readonly exports: Module["exports"];
  readonly reexports: Module["reexports"];
}

/** Undefined for a module that must be parsed in every run. */
export function keepModule({
  file,
  text,
  imports,
  exports,
  reexports,
  augmentations,
  syntaxErrors,
}: Module): KeptModule | undefined {
  if (augmentations.length > 0 || syntaxErrors.length > 0) return undefined;
  return { file, text, imports, exports, reexports };
}

/** A module that is parsed when something asks for its declarations or comments. */
export function restoreModule(kept: KeptModule): Module {
  let parsed: Module | undefined;
  const parse = (): Module =>
    (parsed ??= refuseTooDeep(`"${kept.file}"`, () => parseModule(kept.file, kept.text)));
  return {
    ...kept,
    augmentations: [],
    syntaxErrors: [],
    get declarations() {
      return parse().declarations;
    },
    get comments() {
      return parse().comments;
    },
    get trailingComments() {
      return parse().trailingComments;
    },
  };
}
