import { allControllers, type ControllerName } from "./all-controllers.ts";

/** The controllers that a cluster can run. */
export const controllerNames = Object.keys(allControllers) as readonly ControllerName[];

/**
 * Parses a choice of controllers: `all`, `none`, or names separated by commas. Unknown names are returned.
 */
export function parseControllerNames(text: string): {
  names: readonly ControllerName[];
  unknown: readonly string[];
} {
  if (text === "all") return { names: controllerNames, unknown: [] };
  if (text === "none" || text === "") return { names: [], unknown: [] };
  const words = text.split(",").map((word) => word.trim());
  return {
    names: controllerNames.filter((name) => words.includes(name)),
    unknown: words.filter((word) => !controllerNames.some((name) => name === word)),
  };
}
