import { expect, test } from "vitest";
import type { Project } from "../../project/project.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { checkBindings, checkRoles, roleFile } from "./check-project.ts";

const zone = {
  group: "apps",
  domain: "example.com",
  version: "v1",
  kind: "Zone",
  plural: "zones",
  singular: undefined,
  shortNames: [],
  categories: [],
  namespaced: false,
  origin: { type: "own" },
  template: undefined,
  controllers: [],
  webhooks: {},
} as unknown as Project["resources"][number];
const project = { namespaced: true, resources: [zone] } as unknown as Project;
const header = "kind: ClusterRole\nmetadata: { name: manager-role }\nrules:\n";
const rule = (group: string, resource: string, verb = "*"): string =>
  `- { apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"] }\n`;

test.each([
  ["a resource in any group", rule("*", "nodes"), ["nodes"]],
  ["a subresource", rule("", "nodes/status"), ["nodes"]],
  ["all resources of a group of the project", rule("apps.example.com", "*"), ["zones.apps.example.com"]],
  ["everything", rule("*", "*"), ["zones.apps.example.com"]],
  ["all resources of a built-in group: most are namespaced", rule("", "*"), []],
  ["a resource of another group", rule("apps", "nodes"), []],
  ["get alone", rule("", "nodes", "get"), []],
  ["empty rules", `- null\n- {}\n${rule("", "nodes")}`, ["nodes"]],
])("a Role with %s", (_, rules, expected) => {
  const tree = memoryTree({ [roleFile]: header + rules });
  const found = checkRoles(project, tree).map(({ message }) => /can't allow "(.*?)"/u.exec(message)?.[1]);
  expect(found).toEqual(expected);
});

test.each(["", "---\nnull\n", "kind: ClusterRole\n", `${header}\n`])("nothing is wrong with %j", (text) => {
  expect(checkRoles(project, memoryTree({ [roleFile]: text }))).toEqual([]);
});

const binding = "kind: ClusterRoleBinding\nroleRef: { kind: ClusterRole, name: manager-role }\n";
const patchOf = (...lines: string[]): string =>
  ["patches:", "- patch: |-", ...lines.map((line) => `    ${line}`)].join("\n");

test.each([
  ["named", header, binding, []],
  ["of another name", header.replace("manager-role", "shop"), binding, ["shop"]],
  [
    "without a binding",
    `${header}---\n${header.replace("manager-role", "of-team")}`,
    "",
    ["manager-role", "of-team"],
  ],
  ["that is not there", "---\nnull\n", binding, []],
  ["of a part of the name", header.replace("manager-role", "manager"), binding, ["manager"]],
  ["in a list", header, `kind: List\nitems:\n- { ${binding.trim().replace("\n", ", ")} }\n`, []],
  ["in a JSON patch", header, patchOf("- { op: replace, path: /roleRef/name, value: manager-role }"), []],
  [
    "in a JSON patch of all",
    header,
    patchOf("- { op: replace, path: /roleRef, value: { name: manager-role } }"),
    [],
  ],
  ["in a merge patch", header, patchOf("kind: RoleBinding", "roleRef: { name: manager-role }"), []],
  [
    "in a comment",
    header,
    `# roleRef: manager-role\n${binding.replace("manager-role", "other")}`,
    ["manager-role"],
  ],
])("checkBindings() finds roles that nothing binds: one %s", (_, roles, text, expected) => {
  const tree = memoryTree({ [roleFile]: roles, "config/rbac/role_binding.yaml": text });
  const found = checkBindings(tree).map(({ message }) => /the role "(.*?)"/u.exec(message)?.[1]);
  expect(found).toEqual(expected);
});
