import { compareText } from "@tsbuilder/apimachinery/text";
import type { LabelSelector } from "@tsbuilder/apimachinery/meta";

/** A selector as tables print it: `app=web,tier in (a,b)`. */
export function formatSelector(selector: LabelSelector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${[...values].sort().join(",")})`;
    const forms = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    return { key, text: forms[operator] };
  });
  const all = [...labels, ...expressions].sort((a, b) => compareText(a.key, b.key));
  return all.length === 0 ? "<none>" : all.map(({ text }) => text).join(",");
}
