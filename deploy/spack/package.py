# A recipe for Spack 1.0 or later:
#
#   spack repo create ~/gpulab-repo gpulab && mkdir -p ~/gpulab-repo/packages/gpulab
#   cp deploy/spack/package.py ~/gpulab-repo/packages/gpulab/ && spack repo add ~/gpulab-repo
#   spack install gpulab+cuda
#
# There is no release yet: `git` is the address of the repository that the site uses, and spack installs its branch main.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gpulab(CMakePackage, CudaPackage):
    """Lists the GPUs of a machine, runs parameterised experiments on them, verifies every result, and serves all of it over HTTP,
    with a web page of charts and lessons."""

    homepage = "https://gpulab.invalid"
    git = "https://gpulab.invalid/gpulab.git"
    license("MIT")

    version("main", branch="main")

    variant("mpi", default=False, description="Build gpulab-mpi, for the experiment mpi")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libmicrohttpd@0.9.71:+https")
    depends_on("gnutls@3.6.15:")
    depends_on("jansson@2.13:")
    depends_on("sqlite@3.37:+fts")
    depends_on("curl@7.68:")
    depends_on("zlib-api")
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("openmpi@4:", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define("GPULAB_TESTS", False),
            self.define_from_variant("GPULAB_CUDA", "cuda"),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            arguments.append(self.define("GPULAB_CUDA_ARCHITECTURES", ";".join(architectures)))
        return arguments
