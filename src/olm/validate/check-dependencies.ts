import { properties } from "../catalog/catalog-format.ts";
import type { Located } from "../located.ts";
import { parseRange } from "../version-range.ts";
import type { Bundle } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./finding.ts";

/** What a bundle depends on, beside the CRDs that its ClusterServiceVersion requires. */
export function* checkDependencies({ dependencies }: Bundle): Findings {
  for (const dependency of dependencies.items) {
    const [type, value] = [dependency.get("type"), dependency.get("value")];
    if (type.text === constraint) {
      const rule = value.get("cel", "rule");
      const hint = "a constraint has an expression in cel.rule";
      if (!rule.text) yield finding("dependency", value, `${rule.path} ${lack(rule)}`, hint);
      continue;
    }
    const fields = Object.hasOwn(required, type.text ?? "") ? required[type.text!] : undefined;
    if (!fields) {
      const message = `OLM looks for nothing of the type ${show(type)}`;
      yield finding("dependency", type, message, `use ${[...Object.keys(required), constraint].join(", ")}`);
      continue;
    }
    for (const field of fields.filter((one) => !value.get(one).text)) {
      const message = `${value.path}.${field} ${lack(value.get(field))}`;
      yield finding(
        "dependency",
        value,
        message,
        `a dependency of the type ${type.text} has ${fields.join(", ")}`,
      );
    }
    if (type.text === properties.package) yield* checkRange(value.get("version"));
  }
}

/** Why a value is not a text of some length. */
function lack({ isMissing, value }: Located): string {
  return isMissing || value === "" ? "is not set" : "is not a text";
}

const constraint = "olm.constraint";

/** The fields of a dependency's value. */
const required: Readonly<Record<string, readonly string[]>> = {
  [properties.gvk]: ["group", "version", "kind"],
  [properties.package]: ["packageName", "version"],
  "olm.label": ["label"],
};

function* checkRange(range: Located): Findings {
  if (!range.text || parseRange(range.text)) return;
  const message = `${range.path} ${show(range)} is not a range of versions`;
  yield finding("dependency", range, message, 'use one such as ">=1.0.0 <2.0.0"');
}
