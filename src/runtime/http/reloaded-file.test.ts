import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { ReloadedFile } from "./reloaded-file.ts";

function makeFile(): { file: ReloadedFile; write: (text: string) => void; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "reloaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "token");
  return { file: new ReloadedFile(path), write: (text) => writeFileSync(path, text), path };
}

test("ReloadedFile returns the previous content while the file is missing or empty, and looks again each time", () => {
  const { file, write, path } = makeFile();
  const clock = new FakeClock();
  write("first\n");
  expect(file.read({ clock })).toBe("first");
  clock.advanceSync(10_000);
  write("");
  expect(file.read({ clock })).toBe("first");
  rmSync(path);
  expect(file.read({ clock })).toBe("first");
  write("second");
  expect(file.read({ clock })).toBe("second");
  write("");
  expect(file.read({ clock, refresh: true })).toBe("second");
});

test("ReloadedFile reads the file again after ten seconds, or if the content was rejected", () => {
  const { file, write } = makeFile();
  const clock = new FakeClock();
  write("first");
  file.read({ clock });
  write("second");
  clock.advanceSync(9_999);
  expect(file.read({ clock })).toBe("first");
  expect(file.read({ clock, refresh: true })).toBe("second");
  write("third");
  clock.advanceSync(10_000);
  expect(file.read({ clock })).toBe("third");
});

test("ReloadedFile throws if the file was empty from the beginning", () => {
  const { file, write, path } = makeFile();
  write(" \n");
  expect(() => file.read()).toThrow(`${path} can't be read: it is empty`);
});
