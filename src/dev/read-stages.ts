import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Stage } from "@tsbuilder/cluster";
import { TsbuilderError } from "../shared/errors.ts";

/** Reads a file of Stages; what is wrong with it is said before anything starts. */
export async function readStages(folder: string, file: string): Promise<readonly Stage[]> {
  const { parseStages } = await import("@tsbuilder/cluster");
  const path = resolve(folder, file);
  const text = readText(path);
  try {
    const stages = parseStages(text);
    if (stages.length > 0) return stages;
  } catch (error) {
    throw new TsbuilderError(`"${path}" can't be followed: ${(error as Error).message}`, {
      code: "INVALID_ARGUMENT",
      hint: "a Stage says which objects it takes (spec.resourceRef, spec.selector) and what becomes of them (spec.next), as in KWOK",
      cause: error,
    });
  }
  throw new TsbuilderError(`"${path}" holds no Stage`, {
    code: "INVALID_ARGUMENT",
    hint: "write documents of kwok.x-k8s.io/v1alpha1, Kind Stage, or leave --stages away",
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TsbuilderError(`the Stages in "${path}" can't be read: ${(error as Error).message}`, {
      code: "NOT_FOUND",
      hint: "give a file with --stages",
      cause: error,
    });
  }
}
