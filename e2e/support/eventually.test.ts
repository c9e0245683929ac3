import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { eventually, reportWaits, type Watched } from "./eventually.ts";
import { watchProcess } from "./watched-process.ts";

test("a wait resolves with what the check returns once it neither throws nor returns false", async () => {
  const answers = [() => false as const, () => expect(1).toBe(2), () => "there"];
  expect(await eventually(() => answers.shift()!())).toBe("there");
});

test("a wait fails as soon as the watched process has ended, with the last reason and the output", async () => {
  const child = spawn(process.execPath, ["-e", 'console.log("started"); process.exit(3)']);
  const watched = watchProcess("the server", child);
  await expect(eventually(() => expect(watched.lines).toContain("ready"), watched.watch)).rejects.toThrow(
    /^the server ended with 3: expected .* to include 'ready'[^]*output:\nstarted$/,
  );
});

test("a wait sees the last output of a process", async () => {
  const child = spawn(process.execPath, ["-e", 'console.log("last words")']);
  const watched = watchProcess("the server", child);
  await eventually(() => expect(watched.lines).toEqual(["last words"]), watched.watch);
});

test("a wait does not fail for a process that was stopped on purpose", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const watched = watchProcess("the server", child);
  const state = { isThere: false };
  const waiting = eventually(() => state.isThere, watched.watch);
  const closed = new Promise((resolve) => child.once("close", resolve));
  await watched.stop("SIGKILL");
  await closed;
  expect(watched.watch.end).toBeUndefined();
  state.isThere = true;
  expect(await waiting).toBe(true);
});

test("output of the watched process makes a wait check again", async () => {
  let wake!: () => void;
  let looks = 0;
  const watched: Watched = {
    end: undefined,
    output: "",
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
  const waiting = eventually(() => {
    looks += 1;
    setImmediate(wake);
    return looks === 1000;
  }, watched);
  expect(await waiting).toBe(true);
});

test("a test that ends during a wait fails with the state that it waited for", async () => {
  let waiting!: Promise<unknown>;
  const endedTest = reportWaits(async () => {
    waiting = eventually(() => expect("Pending").toBe("Ready"));
    waiting.catch(() => {});
    await new Promise(setImmediate);
  });
  await expect(endedTest).rejects.toThrow(
    /^the test ended while it waited: expected 'Pending' to be 'Ready'/,
  );
  await expect(waiting).rejects.toThrow("to be 'Ready'");
});

test("a test whose check never returns fails, too", async () => {
  const endedTest = reportWaits(async () => {
    eventually(() => new Promise(() => {})).catch(() => {});
  });
  await expect(endedTest).rejects.toThrow("the test ended while it waited: the check has not returned");
});

test("a test that times out fails with what was missing then, and checks no more", async () => {
  const timeUp = new AbortController();
  const asked: string[] = [];
  let server = "Pending";
  const endedTest = reportWaits(async () => {
    const waiting = eventually(() => {
      asked.push(server);
      expect(server).toBe("Ready");
    });
    timeUp.abort();
    await expect(waiting).rejects.toThrow("expected 'Pending' to be 'Ready'");
    server = "stopped";
    // A hook after the test may wait, too.
    let looks = 0;
    await eventually(() => (looks += 1) > 3);
  }, timeUp.signal);
  await expect(endedTest).rejects.toThrow("expected 'Pending' to be 'Ready'");
  expect(asked).toEqual(["Pending"]);
});

test("a wait with a limit reports what was missing, even if the check hangs", async () => {
  const hangs = eventually(() => new Promise(() => {}), undefined, 1);
  await expect(hangs).rejects.toThrow("not there after 0.001 s: the check has not returned");
});

test("an error whose message can't be changed is explained, too", async () => {
  const aborts = eventually(() => AbortSignal.abort().throwIfAborted(), undefined, 100);
  await expect(aborts).rejects.toThrow("not there after 0.1 s: This operation was aborted");
});
