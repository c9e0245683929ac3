import { createServer } from "node:https";
import {
  type BindAddress,
  type HttpHandler,
  type Listener,
  listen,
  requestListener,
} from "../serve/http-listener.ts";
import type { Certificate, CertificateSource } from "./certificate-files.ts";

/**
 * Starts a server for HTTP/1.1 over TLS whose certificate can be replaced while it runs. HTTP/2 is omitted on purpose:
 * its stream resets have been used to exhaust servers, and API servers don't need it.
 */
export async function listenHttps(
  address: BindAddress,
  source: CertificateSource,
  handler: HttpHandler,
  onServed?: (certificate: Certificate) => void,
): Promise<Listener> {
  const context = ({ cert, key, clientCa }: Certificate) => ({
    cert,
    key,
    minVersion: "TLSv1.2" as const,
    ...(clientCa === undefined ? {} : { ca: clientCa }),
  });
  const first = await source.start((next) => {
    server.setSecureContext(context(next));
    onServed?.(next);
  });
  const server = createServer(
    { ...context(first), requestCert: first.clientCa !== undefined, ALPNProtocols: ["http/1.1"] },
    requestListener(handler),
  );
  const listener = await listen(server, address);
  onServed?.(first);
  return {
    address: listener.address,
    drain: () => listener.drain(),
    close: (deadline) => {
      source.stop();
      return listener.close(deadline);
    },
  };
}
