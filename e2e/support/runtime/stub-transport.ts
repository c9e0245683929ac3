import { onTestFinished } from "vitest";
import type { ClusterConfig } from "../../../src/runtime/http/config.ts";
import { HttpTransport } from "../../../src/runtime/http/http-transport.ts";
import type { TransportOptions } from "../../../src/runtime/http/transport.ts";
import {
  type StubAnswer,
  type StubServer,
  startStubServer,
} from "../../../src/runtime/testing/stub-server.ts";

/** A transport to a stub server; both close when the test ends. */
export async function connectToStub(
  answer: StubAnswer,
  options: TransportOptions = {},
  config: Partial<ClusterConfig> = {},
): Promise<{ server: StubServer; transport: HttpTransport }> {
  const server = await startStubServer(answer);
  const transport = new HttpTransport({ ...server.config, ...config }, options);
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport };
}
