/** The tag of a group's operations, and what their names have in the middle: `apps` and `Apps`. */
export function groupNames(group: string): { tag: string; title: string } {
  const tag = group === "" ? "core" : joinWords(group.replace(/\.k8s\.io$/u, ""));
  return { tag, title: capitalize(tag) };
}

/** The same for a group version: `apps_v1` and `AppsV1`. */
export function versionNames(group: string, version: string): { tag: string; title: string } {
  const { tag, title } = groupNames(group);
  return { tag: `${tag}_${joinWords(version)}`, title: `${title}${capitalize(joinWords(version))}` };
}

/** `rbacAuthorization` for `rbac.authorization`. */
function joinWords(text: string): string {
  return text
    .split(/[^\p{L}\p{Nd}_]+/u)
    .map((word, index) => (index === 0 ? word : capitalize(word)))
    .join("");
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a Deployment`, `an Ingress`, `Endpoints`. */
export function withArticle(kind: string): string {
  if (/[^s]s$/u.test(kind)) return kind;
  return /^[AEIOU]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}
