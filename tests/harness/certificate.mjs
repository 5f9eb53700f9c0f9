// Certificates for tests of TLS.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes a certificate for localhost that is its own issuer, called `name`, in the folder; returns [path, path of its
 * key]. */
export function makeCertificate(folder, name) {
  const paths = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost', '-out', paths[0], '-keyout', paths[1]], { stdio: 'pipe' });
  return paths;
}
