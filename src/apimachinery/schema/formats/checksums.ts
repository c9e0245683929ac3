/** A card number of a known scheme with a valid check digit; other characters than digits are ignored. */
export function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/[^0-9]+/g, "");
  return cardSchemes.test(digits) && luhnSum(digits) % 10 === 0;
}

/** Ten digits, the last may be X; spaces and dashes are ignored. */
export function isISBN10(value: string): boolean {
  const digits = withoutSeparators(value);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return sum % 11 === 0;
}

/** Thirteen digits; spaces and dashes are ignored. */
export function isISBN13(value: string): boolean {
  const digits = withoutSeparators(value);
  if (!/^\d{13}$/.test(digits)) return false;
  const weighted = digitsOf(digits.slice(0, 12)).map((digit, index) => (index % 2 === 0 ? digit : 3 * digit));
  const sum = weighted.reduce((total, digit) => total + digit, 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const cardSchemes = new RegExp(
  [
    "^4\\d{12}(?:\\d{3})?$",
    "^5[1-5]\\d{14}$",
    "^6(?:011|5\\d\\d)\\d{12}$",
    "^3[47]\\d{13}$",
    "^3(?:0[0-5]|[68]\\d)\\d{11}$",
    "^(?:2131|1800|35\\d{3})\\d{11}$",
  ].join("|"),
);

function luhnSum(digits: string): number {
  let sum = 0;
  digitsOf(digits).forEach((digit, index) => {
    const isDoubled = (digits.length - index) % 2 === 0;
    const weighted = isDoubled ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  });
  return sum;
}

function digitsOf(text: string): number[] {
  return Array.from(text, (char) => (char === "X" ? 10 : Number(char)));
}

function withoutSeparators(value: string): string {
  return value.replaceAll(/[\t\n\f\r -]+/g, "");
}
