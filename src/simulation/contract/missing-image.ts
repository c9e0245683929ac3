// Users mistype images: in a simulation, none exists whose name ends with the number 999, such as `nginx:1.999`.

const missing = /(?<!\d)999$/;

export function isMissingImage(image: string): boolean {
  return missing.test(image);
}

/** Returns whether a field of an object names an image that doesn't exist, or its version. */
export function namesMissingImage(value: unknown): boolean {
  if (typeof value === "string") return isMissingImage(value);
  return typeof value === "object" && value !== null && Object.values(value).some(namesMissingImage);
}

/** Returns an image, or its version, that doesn't exist, and otherwise is like another one. */
export function missingImageLike(image: string): string {
  return image.replace(/\d*$/, "999");
}

/** Milliseconds until an image that doesn't exist is pushed after all, for pods that nothing else would get rid of. */
export const latePush = 300_000;
