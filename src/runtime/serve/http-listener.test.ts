import { expect, test } from "vitest";
import { listenHttp } from "./http-listener.ts";

async function startWithRequest({ head = false } = {}) {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let answer = (): void => {};
  const listener = await listenHttp({ host: "127.0.0.1", port: 0 }, async (_, response) => {
    if (head) response.flushHeaders();
    await new Promise<void>((resolve) => {
      answer = resolve;
      arrive();
    });
    response.end("done");
  });
  const text = fetch(`http://${listener.address}/`).then(
    async (response) => `${response.headers.get("connection")}: ${await response.text()}`,
    () => "cut off",
  );
  await arrived;
  return { listener, text, answer: () => answer() };
}

test.each([
  ["close: done", false],
  ["keep-alive: done", true],
])("a server that stops lets its requests finish, and keeps no connection: %s", async (expected, head) => {
  const { listener, text, answer } = await startWithRequest({ head });
  const closed = listener.close(new AbortController().signal);
  answer();
  expect(await text).toBe(expected);
  await closed;
});

test("a server that stops cuts its requests off at the deadline", async () => {
  const { listener, text } = await startWithRequest();
  const deadline = new AbortController();
  const closed = listener.close(deadline.signal);
  deadline.abort();
  expect(await text).toBe("cut off");
  await closed;
});

test("a server that stops after the deadline cuts its requests off at once", async () => {
  const { listener, text } = await startWithRequest();
  await listener.close(AbortSignal.abort());
  expect(await text).toBe("cut off");
});

test("a server that drains serves on, and keeps no connection", async () => {
  const listener = await listenHttp(
    { host: "127.0.0.1", port: 0 },
    (_, response) => void response.end("done"),
  );
  const ask = async () => (await fetch(`http://${listener.address}/`)).headers.get("connection");
  expect(await ask()).toBe("keep-alive");
  listener.drain();
  expect(await ask()).toBe("close");
  expect(await ask()).toBe("close");
  await listener.close(new AbortController().signal);
});
