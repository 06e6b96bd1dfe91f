# libtorch from the PyPI wheel: libc10 and libtorch_cpu as imported targets, no find_package(Torch) and no
# CUDA toolkit. libtorch_cpu finds ../../nvidia/cu13/lib by its own RPATH, so the wheels' folder layout is
# kept and our programs carry SPEDER_DEEP_RPATH.
set(torch_folder "${SPEDER_PACKAGES}/torch")
foreach(file IN ITEMS torch/lib/libtorch_cpu.so torch/lib/libc10.so torch/include/ATen/ATen.h
                      nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/libcupti.so.13)
  if(NOT EXISTS "${SPEDER_PACKAGES}/${file}")
    message(FATAL_ERROR "SPEDER_BUILD_DEEP needs torch 2.15.0 (no ${SPEDER_PACKAGES}/${file})\n"
                        "Install it with: setup/install deep")
  endif()
endforeach()

# Only these folders of the wheel's headers: it also carries its own fmt, which must not shadow ours.
set(torch_include "${CMAKE_BINARY_DIR}/torch_include")
file(MAKE_DIRECTORY "${torch_include}")
foreach(folder IN ITEMS ATen c10 torch)
  file(CREATE_LINK "${torch_folder}/include/${folder}" "${torch_include}/${folder}" SYMBOLIC)
endforeach()

# std::string crosses our border with libtorch: both sides must have the same layout of it.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES "${torch_folder}/lib/libc10.so")
check_cxx_source_compiles(
  "#include <exception>
   #include <string>
   namespace c10 { std::string GetExceptionString(const std::exception&); }
   int main() { return static_cast<int>(c10::GetExceptionString(std::exception()).size()); }"
  SPEDER_TORCH_CXX11_ABI)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT SPEDER_TORCH_CXX11_ABI)
  message(FATAL_ERROR "libtorch in ${torch_folder} does not link: it needs _GLIBCXX_USE_CXX11_ABI=1, as the "
                      "wheels of torch 2.15.0 for Linux x86-64 have")
endif()

add_library(speder_c10 SHARED IMPORTED GLOBAL)
set_target_properties(speder_c10 PROPERTIES IMPORTED_LOCATION "${torch_folder}/lib/libc10.so"
                                            IMPORTED_NO_SONAME TRUE)
add_library(speder_torch SHARED IMPORTED GLOBAL)
set_target_properties(
  speder_torch
  PROPERTIES IMPORTED_LOCATION "${torch_folder}/lib/libtorch_cpu.so"
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${torch_include}"
             INTERFACE_INCLUDE_DIRECTORIES "${torch_include}"
             # its CUDA libraries are found at run time by its own RPATH
             INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined"
             INTERFACE_LINK_LIBRARIES speder_c10)
set(SPEDER_DEEP_RPATH "${torch_folder}/lib;${SPEDER_PACKAGES}/mujoco" CACHE INTERNAL "")
