// Scripts are files of their own, for shellcheck and for readers; the bundler and the tests import them as text.
declare module "*.sh" {
  const text: string;
  export default text;
}
