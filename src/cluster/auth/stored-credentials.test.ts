import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Credentials, loadCredentials } from "./credentials.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, "credentials.json");
const tokenOf = (name: string, groups: readonly string[]): string =>
  new Credentials(loadCredentials(folder)).issue("https://127.0.0.1", name, groups).users[0].user.token!;

test("a user has the same token after a restart, and each user another one", () => {
  const before = tokenOf("ann", ["a"]);
  expect(tokenOf("ann", ["a"])).toBe(before);
  expect(new Set([before, tokenOf("ann", ["b"]), tokenOf("bob", ["a"])]).size).toBe(3);
  expect(readdirSync(folder)).toEqual(["credentials.json"]);
});

test("another folder has other tokens", () => {
  const before = tokenOf("ann", []);
  rmSync(path());
  expect(tokenOf("ann", [])).not.toBe(before);
});

test.each(["", '{"ca":', "{}", "null", '{"ca":{"key":"k"},"serviceAccountKey":"k"}'])(
  "a file with %j is refused with its name and a remedy",
  (text) => {
    writeFileSync(path(), text);
    expect(() => loadCredentials(folder)).toThrow(`"${path()}" is damaged`);
    expect(() => loadCredentials(folder)).toThrow(
      expect.objectContaining({ code: "EDAMAGED", hint: expect.stringContaining("delete it") }),
    );
    expect(readFileSync(path(), "utf8")).toBe(text);
  },
);
