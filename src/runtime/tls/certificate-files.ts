// TLS servers whose certificate can be replaced while they run: from files here, or from another `CertificateSource`.

import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { createServer } from "node:https";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/api-error.ts";
import type { Logger } from "../log/logger.ts";
import type { BindAddress, HttpHandler, Listener } from "../serve/http-listener.ts";
import { listen, requestListener } from "../serve/http-listener.ts";

/** A certificate with its key, and the CAs for client certificates, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string | undefined;
}

/** A source of certificates that notifies a server of new ones. */
export interface CertificateSource {
  /** Reads the first certificate; calls back with each replacement until `stop`. */
  start(onChange: (certificate: Certificate) => void): Promise<Certificate>;
  stop(): void;
}

/** Is notified of reads of the certificate, for metrics. */
export interface CertificateObserver {
  read(isOk: boolean): void;
}

/** The folder, the names of the files in it, and the parts of the manager that are used. */
interface CertificateFilesOptions {
  readonly folder: string;
  readonly certName?: string | undefined;
  readonly keyName?: string | undefined;
  readonly clientCaName?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: CertificateObserver | undefined;
}

/** Milliseconds between checks of the files, because events of the file system can be lost. */
const pollPeriod = 10_000;

/** A folder with `tls.crt` and `tls.key`, as a kubelet mounts a Secret: replaced as a whole, by a symbolic link. */
export class CertificateFiles implements CertificateSource {
  readonly #paths: { readonly cert: string; readonly key: string; readonly clientCa: string | undefined };
  readonly #options: CertificateFilesOptions;
  #current: Certificate | undefined;
  #watcher: FSWatcher | undefined;
  #cancelPoll: (() => void) | undefined;
  #isStopped = false;
  #checks = Promise.resolve();
  #isCheckQueued = false;

  constructor(options: CertificateFilesOptions) {
    const { folder, certName = "tls.crt", keyName = "tls.key", clientCaName } = options;
    this.#options = options;
    this.#paths = {
      cert: join(folder, certName),
      key: join(folder, keyName),
      clientCa: clientCaName === undefined ? undefined : join(folder, clientCaName),
    };
  }

  async start(onChange: (certificate: Certificate) => void): Promise<Certificate> {
    try {
      this.#current = await this.#read();
    } catch (error) {
      throw new TerminalError(
        `there is no serving certificate: ${(error as Error).message}. Mount one there, or name its folder with --webhook-cert-path or --metrics-cert-path`,
        { cause: error },
      );
    }
    const check = () => this.#queueCheck(onChange);
    try {
      this.#watcher = watch(dirname(this.#paths.cert), check);
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      this.#options.log.debug("Can't watch the certificate's folder, looking at it from time to time");
    }
    const poll = () => {
      check();
      this.#cancelPoll = this.#options.clock.setTimer(poll, pollPeriod, "upkeep");
    };
    this.#cancelPoll = this.#options.clock.setTimer(poll, pollPeriod, "upkeep");
    return this.#current;
  }

  stop(): void {
    this.#isStopped = true;
    this.#watcher?.close();
    this.#cancelPoll?.();
  }

  /** Checks the files after the previous check has ended, so that an older certificate can't replace a newer one. */
  #queueCheck(onChange: (certificate: Certificate) => void): void {
    if (this.#isCheckQueued) return;
    this.#isCheckQueued = true;
    this.#checks = this.#checks.then(() => {
      this.#isCheckQueued = false;
      return this.#check(onChange);
    });
  }

  async #check(onChange: (certificate: Certificate) => void): Promise<void> {
    try {
      const next = await this.#read();
      if (this.#isStopped || JSON.stringify(next) === JSON.stringify(this.#current)) return;
      onChange(next);
      this.#current = next;
      this.#options.log.info("Serving a new certificate", { path: this.#paths.cert });
    } catch (error) {
      // Between two writes the key may not match the certificate: the next check finds both.
      this.#options.log.warn("Can't read the new certificate, serving the old one", { error });
    }
  }

  async #read(): Promise<Certificate> {
    const { cert, key, clientCa } = this.#paths;
    try {
      const certificate = {
        cert: await readFile(cert, "utf8"),
        key: await readFile(key, "utf8"),
        ...(clientCa === undefined ? {} : { clientCa: await readFile(clientCa, "utf8") }),
      };
      assertUsable(certificate);
      this.#options.observer?.read(true);
      return certificate;
    } catch (error) {
      this.#options.observer?.read(false);
      throw error;
    }
  }
}

/**
 * Throws unless a server can use the certificate. A server would accept files that are empty or don't belong together,
 * because they are being written: it would fail all callers, or accept the clients of every public CA.
 */
export function assertUsable({ cert, key, clientCa }: Certificate): void {
  const parsed = parseOrThrow("certificate", () => new X509Certificate(cert));
  if (!parsed.checkPrivateKey(parseOrThrow("key", () => createPrivateKey(key))))
    throw new Error("the key belongs to another certificate");
  if (clientCa !== undefined) parseOrThrow("client CA", () => new X509Certificate(clientCa));
}

function parseOrThrow<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`the ${what} is empty or not PEM: ${(error as Error).message}`, { cause: error });
  }
}

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
