import { expect, test } from "vitest";
import { checkVersion, closeUnreleased, isInChangelog, readNotes, setVersion } from "./versions.ts";

const changelog =
  "# Changelog\n\nFor users.\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n\n### Cluster\n\n- Old.\n";

test("what is not released yet becomes the notes of a version", () => {
  const closed = closeUnreleased(changelog, "0.2.0");
  expect(readNotes(changelog, "0.2.0")).toBe("- New.");
  expect(readNotes(closed, "0.2.0")).toBe("- New.");
  expect(readNotes(closed, "0.3.0")).toBe("");
  expect(readNotes(closed, "0.1.0")).toBe("### Cluster\n\n- Old.");
  expect([isInChangelog(changelog, "0.2.0"), isInChangelog(closed, "0.2.0")]).toEqual([false, true]);
});

const ours = (version: string) => ({
  version,
  dependencies: { "@tsbuilder/runtime": version, other: "0.1.0", tsbuilder: version },
});
const print = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;

test("setVersion() changes our packages in a package.json, and no others of that version", () => {
  expect(setVersion(print(ours("0.1.0")), "0.2.0")).toBe(print(ours("0.2.0")));
});

test("setVersion() changes our packages in the lock file, and no others of that version", () => {
  const lock = (version: string) =>
    print({
      name: "tsbuilder",
      version,
      packages: {
        "": ours(version),
        "node_modules/other": { version: "0.1.0" },
        "src/runtime": ours(version),
      },
    });
  expect(setVersion(lock("0.1.0"), "0.2.0")).toBe(lock("0.2.0"));
});

test.each(["# Changelog\n", "## Unreleased\n\n## 0.1.0\n\n- Old.\n"])("refuses to release %j", (text) => {
  expect(() => closeUnreleased(text, "0.2.0")).toThrow('nothing below "## Unreleased"');
});

test.each(["0.2.0", "1.0.0-rc.1"])("%s is a version", (version) => {
  expect(checkVersion(version)).toBe(version);
});

test.each(["v0.2.0", "0.2", "0.2.0+build", "latest", "", "0.2.0-", "0.02.0", "0.2.0-01"])(
  "%j is not a version",
  (version) => {
    expect(() => checkVersion(version)).toThrow("is not a version");
  },
);
