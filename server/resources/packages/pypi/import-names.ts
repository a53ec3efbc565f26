import { ownValue } from "../files.ts";

/**
 * Modules whose distribution has another name: what is not installed is only known by its lockfile, which does not list
 * modules. The metadata of each distribution says so.
 */
const distributions: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  Crypto: "pycryptodome",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  docx: "python-docx",
  dotenv: "python-dotenv",
  fitz: "PyMuPDF",
  git: "GitPython",
  jose: "python-jose",
  jwt: "PyJWT",
  ldap: "python-ldap",
  magic: "python-magic",
  multipart: "python-multipart",
  MySQLdb: "mysqlclient",
  OpenSSL: "pyOpenSSL",
  PIL: "pillow",
  pkg_resources: "setuptools",
  psycopg2: "psycopg2-binary",
  pptx: "python-pptx",
  rest_framework: "djangorestframework",
  serial: "pyserial",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  slugify: "python-slugify",
  telegram: "python-telegram-bot",
  usb: "pyusb",
  yaml: "PyYAML",
  zmq: "pyzmq",
};

/** What the distribution of a module may be called: `google.cloud.storage` is of `google-cloud-storage`. */
export function distributionsOf(module: string): string[] {
  const parts = module.split(".");
  const [top = module] = parts;
  const known = ownValue(distributions, top);
  const dashed = parts.slice(1).map((_, at) => parts.slice(0, parts.length - at).join("-"));
  return [...new Set([module, ...(known === undefined ? [] : [known]), ...dashed, top])];
}
