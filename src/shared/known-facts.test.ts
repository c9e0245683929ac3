// oxlint-disable vitest/expect-expect -- in functions that the tests share
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Fact, forget, isKnown, remember } from "./known-facts.ts";

let home: string;
const fact: Fact = ["allowed", "/somewhere", "x"];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "known-facts-"));
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_STATE_HOME", undefined);
  return () => {
    forget(fact);
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  };
});

describe("a fact is kept, in a folder that only its owner may change,", () => {
  function keep(state: string): void {
    expect(remember(fact)).toBeUndefined();
    expect(readdirSync(join(state, "tsbuilder/known"))).toHaveLength(1);
    for (const folder of ["tsbuilder", "tsbuilder/known"])
      expect(statSync(join(state, folder)).mode & 0o777).toBe(0o700);
    expect(isKnown(fact)).toBe(true);
    forget(fact);
    expect([isKnown(fact), readdirSync(join(state, "tsbuilder/known"))]).toEqual([false, []]);
  }

  test("in a home without any folder", () => keep(join(home, ".local/state")));

  test("where the group may write to ~/.local/state, as with umask 002", () => {
    mkdirSync(join(home, ".local/state"), { recursive: true });
    chmodSync(join(home, ".local/state"), 0o775);
    keep(join(home, ".local/state"));
  });

  test("in an XDG_STATE_HOME whose parents are missing", () => {
    vi.stubEnv("XDG_STATE_HOME", join(home, "a/b/state"));
    keep(join(home, "a/b/state"));
  });
});

describe("a fact is known to this process only, and the folder and the reason are returned,", () => {
  const state = (): string => join(home, ".local/state");
  function expectLost(reason: string): void {
    expect(remember(fact)?.reason).toContain(reason);
    expect(isKnown(fact)).toBe(true);
    expect(existsSync(join(state(), "tsbuilder/known"))).toBe(false);
  }

  test("where everybody may write to the state folder", () => {
    mkdirSync(state(), { recursive: true });
    chmodSync(state(), 0o777);
    expect(remember(fact)?.reason).toBe(`others may change "${state()}"`);
  });

  test("where others may write to tsbuilder's own", () => {
    mkdirSync(join(state(), "tsbuilder"), { recursive: true });
    chmodSync(join(state(), "tsbuilder"), 0o770);
    expect(remember(fact)?.reason).toBe(
      `"${join(state(), "tsbuilder")}" is not a folder that only you may change`,
    );
  });

  test("where a file takes the folder's place", () => {
    writeFileSync(join(home, ".local"), "");
    expectLost(join(home, ".local"));
  });

  test("where there is no home", () => {
    vi.stubEnv("HOME", join(home, "gone"));
    expectLost(`there is no home folder "${join(home, "gone")}"`);
  });

  test.runIf(process.getuid?.() !== 0)("where the home is read-only", () => {
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    expectLost(join(home, ".local"));
  });
});
