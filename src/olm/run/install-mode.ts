import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { TsbuilderError } from "../../shared/errors.ts";
import { type InstallMode, installModes } from "../bundle-format.ts";
import type { Bundle } from "../validate/bundle.ts";

/** An install mode and its namespaces: `AllNamespaces`, `OwnNamespace`, `SingleNamespace=shop`, `MultiNamespace=shop,bank`. */
export interface ChosenMode {
  readonly type: InstallMode;
  readonly namespaces: readonly string[];
}

/** The least and the most namespaces that a mode names. The operator's own namespace is never named. */
const namespaceCounts: Readonly<Record<InstallMode, readonly [least: number, most: number]>> = {
  OwnNamespace: [0, 0],
  SingleNamespace: [1, 1],
  MultiNamespace: [1, Number.POSITIVE_INFINITY],
  AllNamespaces: [0, 0],
};

/** Parses an install mode with its namespaces. Throws if the mode, or a name or the number of its namespaces, is invalid. */
export function parseInstallMode(written: string): ChosenMode {
  const [name = "", list] = written.split("=", 2);
  const type = installModes.find((one) => one === name);
  const namespaces = list === undefined ? [] : list.split(",").map((one) => one.trim());
  const [least, most] = type ? namespaceCounts[type] : [0, 0];
  const isValid = namespaces.every((one) => checkLabel(one).length === 0);
  if (type && isValid && namespaces.length >= least && namespaces.length <= most) {
    return { type, namespaces: namespaces.toSorted() };
  }
  const hint = "use AllNamespaces, OwnNamespace, SingleNamespace=NAME or MultiNamespace=NAME,NAME";
  throw new TsbuilderError(`"${written}" is not an install mode`, { code: "INVALID_ARGUMENT", hint });
}

/** Returns the namespaces to watch, by the chosen mode, or the widest that the bundle supports. An empty list means all. */
export function targetNamespaces(
  { csv }: Bundle,
  namespace: string,
  chosen: ChosenMode | undefined,
): readonly string[] {
  const supported = csv
    .get("spec", "installModes")
    .items.filter((mode) => mode.get("supported").value === true)
    .map((mode) => mode.get("type").text);
  if (chosen && !supported.includes(chosen.type)) {
    const message = `the bundle does not support the install mode ${chosen.type}`;
    throw refuse(message, `it supports ${supported.join(", ")}`);
  }
  if (chosen?.type === "SingleNamespace" && chosen.namespaces[0] === namespace) {
    throw refuse(`${namespace} is the namespace of the operator itself`, "use --install-mode OwnNamespace");
  }
  if (chosen) return chosen.type === "OwnNamespace" ? [namespace] : chosen.namespaces;
  if (supported.includes("AllNamespaces")) return [];
  if (supported.includes("OwnNamespace")) return [namespace];
  const hint = `name the namespaces to watch: --install-mode ${supported[0] ?? "SingleNamespace"}=NAME`;
  throw refuse("the bundle supports neither AllNamespaces nor OwnNamespace", hint);
}

function refuse(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}
