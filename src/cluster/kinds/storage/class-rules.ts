import { invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { type Problems, refused } from "../checks/problems.ts";

/** The name of the driver that a class uses. */
export function* driverOfClass(field: string, driver = ""): Problems {
  if (driver === "") yield required(field);
  else yield* refused(field, driver.toLowerCase(), checkQualifiedName(driver.toLowerCase()));
}

const mostParameters = 512;
const largestParameters = 256 * 1024;

/** The parameters that a class passes to its driver. */
export function* classParameters(parameters: Readonly<Record<string, string>> = {}): Problems {
  const entries = Object.entries(parameters);
  if (entries.length > mostParameters) return yield tooLong("parameters", mostParameters);
  if (Object.hasOwn(parameters, "")) yield invalid("parameters", "", "field can not be empty.");
  if (sizeOf(parameters) > largestParameters) yield tooLong("parameters", largestParameters);
}

/** The bytes of all keys and values. */
export function sizeOf(map: Readonly<Record<string, string>>): number {
  return Object.entries(map).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0);
}

const longestDriver = 63;

/** The name of a CSI driver, which may have upper-case letters. */
export function* driverName(field: string, name = ""): Problems {
  if (name === "") return yield required(field);
  if (name.length > longestDriver) yield tooLong(field, longestDriver);
  yield* refused(field, name, checkSubdomain(name.toLowerCase()));
}
