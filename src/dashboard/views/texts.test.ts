import { expect, test } from "vitest";
import { kubectlCommand, matcher, shortPath, toneTerm, verdictText } from "./texts.ts";
import { tones } from "@tsbuilder/apimachinery/meta";

test.each([
  ["", true],
  [" ", true],
  [" mysql ", true],
  ["mysql", true],
  ["SQL sample", true],
  ["sample other", false],
])("the filter %j shows MySQL default/mysql-sample: %s", (filter, isShown) => {
  expect(matcher(filter)("MySQL default/mysql-sample")).toBe(isShown);
});

test.each([
  ["kind:pod", true],
  ["kind:Deployment", false],
  ["ns:shop", true],
  ["ns:sho", false],
  ["ns:", true],
  ["is:failing", true],
  ["is:ready", false],
  ["is:fail a-1 kind:Pod", true],
  ["is:fail b-1", false],
  ["kind:", true],
])("the filter %j shows a failing Pod shop/a-1: %s", (filter, isShown) => {
  expect(matcher(filter)("Pod shop/a-1", { kind: "Pod", key: "shop/a-1", tone: "bad" })).toBe(isShown);
});

test.each([
  ["kind:mysql", ["MySQL"]],
  ["kind:mys", ["MySQL", "MySQLBackup"]],
  ["kind:MySQLB", ["MySQLBackup"]],
])("the filter %j shows objects of %j", (filter, shown) => {
  const kinds = ["MySQL", "MySQLBackup", "Pod"];
  const matches = matcher(filter, { kinds });
  expect(kinds.filter((kind) => matches(`${kind} default/a`, { kind }))).toEqual(shown);
});

test.each(tones)("the term of %s hides the others", (tone) => {
  expect(tones.filter((one) => matcher(toneTerm(tone))("", { tone: one }))).toEqual([tone]);
});

test.each([
  [{ bad: 5, busy: 1, good: 6, none: 0 }, 5, "5 of 12 objects failing"],
  [{ bad: 0, busy: 1, good: 11, none: 0 }, 2, "2 requests failing"],
  [{ bad: 0, busy: 0, good: 0, none: 0 }, 1, "1 request failing"],
  [{ bad: 0, busy: 0, good: 0, none: 0 }, 0, "No objects of your kinds yet"],
  [{ bad: 0, busy: 1, good: 11, none: 0 }, 0, "1 of 12 still in progress"],
  [{ bad: 0, busy: 0, good: 1, none: 0 }, 0, "Your object is well"],
  [{ bad: 0, busy: 0, good: 6, none: 1 }, 0, "6 of 7 objects ready, 1 without a status"],
  [{ bad: 0, busy: 0, good: 0, none: 1 }, 0, "1 object, none failing"],
  [{ bad: 0, busy: 0, good: 0, none: 3 }, 0, "3 objects, none failing"],
  [{ bad: 0, busy: 0, good: 1000, none: 1234 }, 0, "1,000 of 2,234 objects ready, 1,234 without a status"],
])("of objects that stand so: %j, and with %d failing requests: %s", (counts, failures, text) => {
  expect(verdictText(counts, failures)).toBe(text);
});

test.each([
  ["default", "db-0", "kubectl get pods db-0 -n default -o yaml"],
  [undefined, "system:node", "kubectl get pods system:node -o yaml"],
  [undefined, "$(id)\n'x", "kubectl get pods '$(id)\n'\\''x' -o yaml"],
])("the command for %s and %j runs nothing else", (namespace, name, command) => {
  expect(kubectlCommand("pods", { name, ...(namespace !== undefined && { namespace }) })).toBe(command);
});

test.each([
  ["/home/ann lee/operator/src/controller/db.ts:4:2", "src/controller/db.ts:4:2"],
  [
    "    at async DB.reconcile (/home/ann/operator/src/db.ts:4:2)",
    "    at async DB.reconcile (src/db.ts:4:2)",
  ],
  ["    at file:///home/ann/operator/src/main.ts:9:1", "    at src/main.ts:9:1"],
  ["    … 7 of packages and Node", "    … 7 of packages and Node"],
])("a path in %j is shortened to the project's part", (text, short) => {
  expect(shortPath(text)).toBe(short);
});
