import { describe, expect, test } from "vitest";
import { noWebhooks, type Resource } from "./project.ts";
import {
  checkControllerName,
  checkDomain,
  checkGroup,
  checkKind,
  checkPlural,
  checkProjectName,
  checkResource,
  checkVersion,
  checkWebhookPath,
} from "./validate.ts";

describe.each([
  [
    "checkDomain()",
    checkDomain,
    ["example.com", "a", "my-corp.io"],
    ["", "Example.com", "a..b", "-a.b", "a_b"],
  ],
  [
    "checkGroup()",
    checkGroup,
    ["", "apps", "foo.policy", "sea-creatures"],
    ["Apps", "a.", "a_b", "a b", "on"],
  ],
  [
    "checkVersion()",
    checkVersion,
    ["v1", "v2beta3", "v1alpha1"],
    ["", "1", "v0", "v1.2", "foo", "v1gamma1", "V1"],
  ],
  [
    "checkKind()",
    checkKind,
    ["MySQL", "A", "HTTPRoute", "K8s", "Request", `A${"a".repeat(58)}`],
    ["", "mysql", "My-Kind", "9P", "Null", "Yes", "N", `A${"a".repeat(59)}`],
  ],
  ["checkPlural()", checkPlural, ["mysqls", "a-b"], ["", "Mysqls", "9s", "a.b", "-a", "yes"]],
  [
    "checkControllerName()",
    checkControllerName,
    ["mysql", "mysql-backup", "a".repeat(63)],
    ["", "MySQL", "a_b", "9a", "a".repeat(64)],
  ],
  [
    "checkWebhookPath()",
    (path: string) => checkWebhookPath(path, "defaulting-path"),
    ["/a", "/a/b-c"],
    ["a", "/", "//a", "/a b", "/a?b"],
  ],
] as const)(
  "%s",
  (_, check: (value: string) => unknown, valid: readonly string[], invalid: readonly string[]) => {
    test.each(valid)("accepts %j", (value) => {
      expect(() => check(value)).not.toThrow();
    });

    test.each(invalid)("refuses %j, in quotes and with a hint", (value) => {
      expect(() => check(value)).toThrow(
        expect.objectContaining({
          code: "INVALID_NAME",
          message: expect.stringContaining(`"${value}"`) as string,
          hint: expect.stringMatching(/\w/) as string,
        }) as Error,
      );
    });
  },
);

test("a long value is cut off in the message", () => {
  expect(() => checkDomain("a".repeat(300))).toThrow(`the domain "${"a".repeat(80)}…" is not valid`);
});

test("the hint for a path is of the same webhook", () => {
  expect(() => checkWebhookPath("a", "validation-path")).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("--validation-path /validate-mysql") as string }),
  );
});

describe("checkProjectName()", () => {
  test("keeps every derived name within 63 characters", () => {
    const longest = "a".repeat(28);
    expect(checkProjectName(longest)).toBe(longest);
    expect(`${longest}-controller-manager-metrics-service`).toHaveLength(63);
  });

  test("rejects a longer one, and suggests one that fits", () => {
    const name = "a-project-with-a-name-that-is-far-too-long";
    expect(() => checkProjectName(name)).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining("--project-name a-project-with-a-name-that-i") as string,
      }) as Error,
    );
  });

  test.each(["", "9lives", "My-Project", "a_b", "a."])("refuses %j", (name) => {
    expect(() => checkProjectName(name)).toThrow(`"${name}" is not valid`);
  });
});

describe("checkResource()", () => {
  const resource: Resource = {
    group: "",
    domain: "",
    version: "v1",
    kind: "A",
    plural: "as",
    singular: undefined,
    shortNames: [],
    categories: [],
    namespaced: true,
    origin: { type: "own" },
    template: undefined,
    controllers: [],
    webhooks: noWebhooks,
  };

  test("refuses a kind without any group", () => {
    expect(() => checkResource(resource)).toThrow("the API group is empty");
  });

  test("rejects a CRD whose name would be too long", () => {
    expect(() => checkResource({ ...resource, domain: "d".repeat(252) })).toThrow("is not valid");
  });
});
