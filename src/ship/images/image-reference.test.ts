import { expect, test } from "vitest";
import { imageName, parseImageReference } from "./image-reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each([
  ["controller", { registry: undefined, repository: "controller", tag: undefined, digest: undefined }],
  ["controller:latest", { registry: undefined, repository: "controller", tag: "latest", digest: undefined }],
  ["team/operator:v1", { registry: undefined, repository: "team/operator", tag: "v1", digest: undefined }],
  [
    "localhost/operator",
    { registry: "localhost", repository: "operator", tag: undefined, digest: undefined },
  ],
  ["localhost:5000/a/b:v1", { registry: "localhost:5000", repository: "a/b", tag: "v1", digest: undefined }],
  [
    "registry.example.com/a",
    { registry: "registry.example.com", repository: "a", tag: undefined, digest: undefined },
  ],
  ["r.io:443/a/b:v1.2", { registry: "r.io:443", repository: "a/b", tag: "v1.2", digest: undefined }],
  [`nginx@${digest}`, { registry: undefined, repository: "nginx", tag: undefined, digest }],
  [`r.io/nginx:1.29@${digest}`, { registry: "r.io", repository: "nginx", tag: "1.29", digest }],
  ["[::1]:5000/a:v1", { registry: "[::1]:5000", repository: "a", tag: "v1", digest: undefined }],
])("parseImageReference() reads %s", (text, expected) => {
  expect(parseImageReference(text)).toEqual(expected);
});

test.each([
  "",
  ":v1",
  "a:",
  "a b",
  "Team/Operator:v1",
  "a@sha256:12",
  "https://r.io/a",
  "a//b",
  "-a",
  "a:b:c",
  "a/b:5000/c",
])("parseImageReference() refuses %j with a hint", (text) => {
  expect(() => parseImageReference(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test.each([
  ["Team/Op:v1", "a repository must be lower case: team/op:v1"],
  ["R.io:443/Team/Op:V1", "a repository must be lower case: r.io:443/team/op:V1"],
  ["https://r.io/a", "omit the scheme: r.io/a"],
])("parseImageReference() suggests a valid reference instead of %s", (text, hint) => {
  expect(() => parseImageReference(text)).toThrow(expect.objectContaining({ hint }));
});

test.each(["A B", "Team Op:v1", "https://r.io/a b", "https://", "A:b:c"])(
  "parseImageReference() suggests nothing that is not valid either: %s",
  (text) => {
    const hint = expect.stringMatching(/^use \[registry/u);
    expect(() => parseImageReference(text)).toThrow(expect.objectContaining({ hint }));
  },
);

test("imageName() omits tag and digest", () => {
  expect(imageName(parseImageReference(`r.io:443/a/b:v1@${digest}`))).toBe("r.io:443/a/b");
});
