import { expect, test } from "vitest";
import { kubectlCommand, matcher, toneTerm, verdictText } from "./texts.ts";
import { tones } from "../../dev/view/standing.ts";

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

test.each(tones)("the term of %s hides the others", (tone) => {
  expect(tones.filter((one) => matcher(toneTerm(tone))("", { tone: one }))).toEqual([tone]);
});

test.each([
  [12, 5, 1, 5, "5 of 12 objects failing"],
  [12, 0, 1, 2, "2 requests failing"],
  [0, 0, 0, 1, "1 request failing"],
  [0, 0, 0, 0, "No objects of your kinds yet"],
  [12, 0, 1, 0, "1 of 12 still in progress"],
  [1, 0, 0, 0, "Your object is well"],
])(
  "of %d objects %d fail, %d are on their way, and %d requests fail: %s",
  (all, bad, busy, failures, text) => {
    expect(verdictText(all, bad, busy, failures)).toBe(text);
  },
);

test.each([
  ["default", "db-0", "kubectl get pods db-0 -n default -o yaml"],
  [undefined, "system:node", "kubectl get pods system:node -o yaml"],
  [undefined, "$(id)\n'x", "kubectl get pods '$(id)\n'\\''x' -o yaml"],
])("the command for %s and %j runs nothing else", (namespace, name, command) => {
  expect(kubectlCommand("pods", { name, ...(namespace !== undefined && { namespace }) })).toBe(command);
});
