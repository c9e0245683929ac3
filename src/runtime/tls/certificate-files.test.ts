import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { type Certificate, CertificateFiles } from "./certificate-files.ts";

const ca = createCA({ commonName: "test" });
const [first, second] = ["first", "second"].map((commonName) =>
  issueCertificate(ca, { commonName, usages: ["server"] }),
) as [Certificate, Certificate];

async function useFiles() {
  const folder = await mkdtemp(join(tmpdir(), "tsbuilder-certificate-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const replace = async ({ cert, key, clientCa = ca.cert }: Certificate): Promise<void> => {
    for (const [name, content] of Object.entries({ "tls.crt": cert, "tls.key": key, "ca.crt": clientCa })) {
      await writeFile(join(folder, `new-${name}`), content);
      await rename(join(folder, `new-${name}`), join(folder, name));
    }
  };
  await replace(first);
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLogger({ write: (line) => lines.push(line) });
  const files = new CertificateFiles({ folder, clientCaName: "ca.crt", clock, log });
  onTestFinished(() => files.stop());
  return { files, replace, clock, lines };
}

const unusable: [string, Certificate][] = [
  ["an empty certificate", { ...first, cert: "" }],
  ["an empty key", { ...first, key: "" }],
  ["the key of another certificate", { ...first, key: second.key }],
  ["half of a key", { ...first, key: first.key.slice(0, first.key.length / 2) }],
  ["no client CA", { ...first, clientCa: "" }],
];

test.each(unusable)(
  "with %s the former certificate is served, and a usable one replaces it",
  async (_, bad) => {
    const { files, replace, clock, lines } = await useFiles();
    const changes: Certificate[] = [];
    await files.start((next) => changes.push(next));
    await replace(bad);
    await clock.advance(10_000);
    await eventually(() => expect(lines.join("")).toContain("Can't read the new certificate"));
    expect(changes).toEqual([]);
    await replace(second);
    await clock.advance(10_000);
    await eventually(() => expect(changes).toEqual([{ ...second, clientCa: ca.cert }]));
  },
);

test.each(unusable)("with %s it does not start", async (_, bad) => {
  const { files, replace } = await useFiles();
  await replace(bad);
  await expect(files.start(() => {})).rejects.toThrow("there is no serving certificate: ");
});

test("certificates are served in the order in which they were written", async () => {
  const { files, replace, clock } = await useFiles();
  const written = Array.from({ length: 20 }, (_, at) =>
    issueCertificate(ca, { commonName: `${at}`, usages: ["server"] }),
  );
  const served: number[] = [];
  await files.start(({ cert }) => served.push(written.findIndex((one) => one.cert === cert)));
  for (const certificate of written) {
    await replace(certificate);
    await clock.advance(10_000);
  }
  await eventually(() => expect(served.at(-1)).toBe(written.length - 1));
  expect(served).toEqual(served.toSorted((a, b) => a - b));
});
