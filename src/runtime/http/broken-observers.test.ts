import { expect, onTestFinished, test } from "vitest";
import { answerJSON, startStubServer } from "../testing/stub-server.ts";
import { HttpTransport } from "./http-transport.ts";

test("an exception in a client's observer breaks no request", async () => {
  const headers = { warning: '299 - "old"' };
  const server = await startStubServer((_, response) => answerJSON(response, { a: 1 }, 200, headers));
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", note);
  const broken = (): never => {
    throw new Error("boom");
  };
  const byName = { ...server.config, server: server.config.server.replace("127.0.0.1", "localhost") };
  const options = { onRequest: broken, onLookup: broken, onWarning: broken };
  const transport = new HttpTransport(byName, options);
  onTestFinished(async () => {
    process.off("warning", note);
    await transport.close();
    await server.close();
  });
  expect((await transport.send({ path: "/version" })).text).toBe('{"a":1}');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(warnings.sort()).toEqual(
    ["onLookup", "onRequest", "onWarning"].map((name) => `the client's ${name} failed: boom`),
  );
});
