declare module "npm-registry-fetch/lib/default-opts.js" {
  const options: { registry: string };
  export default options;
}
